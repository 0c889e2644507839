/** A window, found anew at each use: it may be opened later, or be another one after a restart. */
import { writeFile } from "node:fs/promises";
import type { JsonObject, Picture } from "@cua-driver/client";
import type { Driver } from "./driver.js";
import type { VerifyStateArguments } from "./gen/tools.js";
import { Locator, type Options } from "./locator.js";
import { elements, target, type WindowRow, type WindowState, windows } from "./seen.js";
import { NotFound, type Patience, until } from "./wait.js";

export type Title = string | RegExp;

export interface Which {
  app?: string | RegExp | number;
  title: Title;
}

/** What verify and waitFor ask. */
export type Predicate = VerifyStateArguments["expect"][number];

export type Frame = { x: number; y: number; width: number; height: number };

export class Window {
  constructor(
    readonly driver: Driver,
    readonly which: Which,
  ) {}

  /** The one window that fits; waits for it. Throws `NotFound` for none or several. */
  find(patience?: Patience): Promise<WindowRow> {
    return until(async () => {
      const all = await windows(this.driver);
      const fitting = all.filter((window) => this.#fits(window));
      const [only, ...more] = fitting;
      if (only !== undefined && more.length === 0) return only;
      const titles = (fitting.length > 0 ? fitting : all)
        .map((window) => JSON.stringify(window.title))
        .join(", ");
      return new NotFound(
        fitting.length === 0
          ? `no window ${describe(this.which)}; there are ${titles || "none"}`
          : `${fitting.length} windows ${describe(this.which)}: ${titles}`,
      );
    }, patience);
  }

  #fits(window: WindowRow): boolean {
    const { app, title } = this.which;
    if (typeof app === "number" && window.pid !== app) return false;
    if (app instanceof RegExp && !app.test(window.app_name ?? "")) return false;
    if (typeof app === "string" && window.app_name?.toLowerCase() !== app.toLowerCase()) return false;
    return matches(window.title, title);
  }

  /** The element of that role and name. Names are the ARIA ones: button, textbox, checkbox, ... */
  getByRole(role: string, options: Options = {}): Locator {
    return new Locator(this, { ...options, role });
  }

  /** The element of that label, of whatever role. */
  getByLabel(name: Title, options: Omit<Options, "name"> = {}): Locator {
    return new Locator(this, { ...options, name });
  }

  /** Tree of elements; its tokens hold until the next snapshot of this window. */
  async snapshot(args: object = {}): Promise<WindowState & { text: string }> {
    const at = await this.find();
    const { structured, text } = await this.driver.raw("get_window_state", {
      ...target(at),
      include_screenshot: false,
      ...args,
    });
    return { ...(structured as unknown as WindowState), text };
  }

  /** Picture of the window as it is, covered or not. Written to `path` too when given. */
  async screenshot({ path }: { path?: string } = {}): Promise<Picture> {
    const at = await this.find();
    const args = { ...target(at), include_accessibility_tree: false };
    const { pictures, structured } = await this.driver.raw("get_window_state", args);
    const [picture] = pictures;
    if (picture === undefined)
      throw new NotFound(`no picture: ${JSON.stringify(structured.screenshot_error ?? null)}`);
    if (path !== undefined) await writeFile(path, picture.data);
    return picture;
  }

  /** Elements as they are now, for locators. */
  async look(): Promise<{ at: WindowRow; state: WindowState }> {
    const at = await this.find();
    return { at, state: await elements(this.driver, at) };
  }

  /** One call that names this window; the rest of its arguments as the tool wants them. */
  async act(tool: string, args: object = {}): Promise<JsonObject> {
    const at = await this.find();
    return (await this.driver.raw(tool, { ...target(at), ...args })).structured;
  }

  /** A key, with modifiers: `press("s", ["ctrl"])`. */
  press(key: string, modifiers: string[] = []): Promise<JsonObject> {
    return this.act("press_key", { key, ...(modifiers.length > 0 && { modifiers }) });
  }

  /** Text into the element that has the focus in this window. */
  type(text: string): Promise<JsonObject> {
    return this.act("type_text", { text });
  }

  /** A point in pixels of the last picture of this window. */
  clickAt(x: number, y: number, args: object = {}): Promise<JsonObject> {
    return this.act("click", { x, y, ...args });
  }

  /** Items from the menu bar down: `menu("File", "Save")`. */
  menu(...path: string[]): Promise<JsonObject> {
    return this.act("invoke_menu", { path });
  }

  setFrame(frame: Frame): Promise<JsonObject> {
    return this.act("set_window_frame", frame);
  }

  setState(state: "minimized" | "maximized" | "restored" | "closed"): Promise<JsonObject> {
    return this.act("set_window_state", { state });
  }

  close(): Promise<JsonObject> {
    return this.setState("closed");
  }

  bringToFront(): Promise<JsonObject> {
    return this.act("bring_to_front");
  }

  /** Whether all predicates hold: status `satisfied`, `unsatisfied` or `unknown`. */
  verify(expect: Predicate[], args: object = {}): Promise<JsonObject> {
    return this.act("verify_state", { expect, ...args });
  }

  /** Waits until all predicates hold. */
  waitFor(expect: Predicate[], args: object = {}): Promise<JsonObject> {
    return this.act("wait_for", { expect, ...args });
  }
}

export function matches(text: string, wanted: Title): boolean {
  return wanted instanceof RegExp ? wanted.test(text) : text === wanted;
}

function describe({ app, title }: Which): string {
  return `${app === undefined ? "" : `of ${String(app)} `}titled ${String(title)}`;
}
