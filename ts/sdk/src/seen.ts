/** What is read of the answers of list_windows and get_window_state. */
import type { Driver } from "./driver.js";

export interface WindowRow {
  window_id: number;
  pid?: number | null;
  app_name?: string;
  title: string;
  bounds: { x: number; y: number; width: number; height: number };
}

export interface ElementRow {
  element_index: number;
  element_token: string;
  role: string;
  label?: string;
  value?: string;
  states?: string[];
  [field: string]: unknown;
}

export interface WindowState {
  snapshot_id: string;
  elements: ElementRow[];
  elements_complete?: boolean;
  degraded_reason?: string;
}

export async function windows(driver: Driver): Promise<WindowRow[]> {
  const { structured } = await driver.raw("list_windows");
  return (structured.windows ?? []) as unknown as WindowRow[];
}

export async function elements(driver: Driver, at: WindowRow): Promise<WindowState> {
  const { structured } = await driver.raw("get_window_state", { ...target(at), include_screenshot: false });
  return structured as unknown as WindowState;
}

/** A window as an action names it. A window without a pid is named alone. */
export function target(at: WindowRow): { pid?: number; window_id: number } {
  return { ...(typeof at.pid === "number" && { pid: at.pid }), window_id: at.window_id };
}
