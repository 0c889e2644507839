/** Looking and acting through the SDK's untyped door, as an agent does. */
import { type Driver, Refused } from "@cua-driver/sdk";

export interface Target {
  pid: number;
  window_id: number;
}

export interface Element {
  element_index: number;
  element_token: string;
  role: string;
  label?: string;
  value?: string;
  states?: string[];
  image_frame?: { x: number; y: number; w: number; h: number };
}

export interface Seen {
  snapshot_id: string;
  elements: Element[];
  text: string;
  size: number;
  structured: Record<string, unknown>;
}

export interface Outcome {
  effect?: string;
  code?: string;
  details?: Record<string, unknown>;
  delivered?: number;
  evidence: string[];
}

export async function look(driver: Driver, target: Target, args: object = {}): Promise<Seen> {
  const { structured, text } = await driver.raw("get_window_state", {
    ...target,
    include_screenshot: false,
    ...args,
  });
  const state = structured as unknown as { snapshot_id: string; elements?: Element[] };
  return {
    snapshot_id: state.snapshot_id,
    elements: state.elements ?? [],
    text,
    size: JSON.stringify(structured).length,
    structured: structured as Record<string, unknown>,
  };
}

/** The one element with that label and, where given, that role. */
export function named(seen: Seen, label: string, role?: string): Element {
  const fits = seen.elements.filter((e) => e.label === label && (role === undefined || e.role === role));
  // A label of a field may carry the same name as the field: what can be acted on comes first.
  const best = fits.find((e) => e.role !== "label") ?? fits[0];
  if (best === undefined)
    throw new Error(
      `no ${role ?? "element"} ${label}; there are ${seen.elements.map((e) => `${e.role} ${e.label}`).join(", ")}`,
    );
  return best;
}

/** Runs an act; a refusal is an outcome too. */
export async function act(driver: Driver, tool: string, args: object): Promise<Outcome> {
  try {
    const { structured } = await driver.raw(tool, args);
    const s = structured as unknown as {
      effect?: string;
      delivery?: { delivered_count?: number };
      evidence?: { kind: string }[];
    };
    return {
      ...(s.effect !== undefined && { effect: s.effect }),
      ...(s.delivery?.delivered_count !== undefined && { delivered: s.delivery.delivered_count }),
      evidence: (s.evidence ?? []).map((e) => e.kind),
    };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { code: error.code, details: (error.details ?? {}) as Record<string, unknown>, evidence: [] };
  }
}
