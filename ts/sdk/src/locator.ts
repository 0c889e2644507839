/** An element, found anew at each use by what a person would call it. */
import { type JsonObject, Refused } from "@cua-driver/client";
import type { ElementRow } from "./seen.js";
import { NotFound, type Patience, until } from "./wait.js";
import { matches, type Title, type Window } from "./window.js";

export interface Options extends Patience {
  /** Its label: all of it, or a pattern. */
  name?: Title;
  /** Which one, from 0, where several fit. */
  nth?: number;
}

export interface Wanted extends Options {
  role?: string;
}

export interface ClickOptions {
  button?: "left" | "right" | "middle";
  count?: 1 | 2 | 3;
  modifier?: string[];
  delivery_mode?: "background" | "foreground";
}

export class Locator {
  constructor(
    readonly window: Window,
    readonly wanted: Wanted,
  ) {}

  /** The one element that fits; waits for it. Throws `NotFound` for none or several. */
  find(): Promise<ElementRow> {
    return until(async () => {
      const { state } = await this.window.look();
      const fitting = state.elements.filter((element) => this.#fits(element));
      const { nth } = this.wanted;
      const chosen = nth === undefined ? (fitting.length === 1 ? fitting[0] : undefined) : fitting[nth];
      if (chosen !== undefined) return chosen;
      const near = (fitting.length > 0 ? fitting : state.elements).slice(0, 12);
      const seen = near.map((element) => `${element.role} ${JSON.stringify(element.label ?? "")}`).join(", ");
      const why = state.degraded_reason === undefined ? "" : ` (${state.degraded_reason})`;
      return new NotFound(
        fitting.length === 0
          ? `no ${this}${why}; there are ${seen || "no elements"}`
          : `${fitting.length} elements fit ${this}: ${seen}; give nth`,
      );
    }, this.wanted);
  }

  #fits(element: ElementRow): boolean {
    const { role, name } = this.wanted;
    if (role !== undefined && element.role !== role) return false;
    return name === undefined || matches(element.label ?? "", name);
  }

  /** Runs a tool on it. When the tree changed in between, once more on the same object. */
  async act(tool: string, args: object = {}): Promise<JsonObject> {
    const { element_token } = await this.find();
    const call = async (token: string) =>
      (await this.window.driver.raw(tool, { ...args, element_token: token })).structured;
    try {
      return await call(element_token);
    } catch (error) {
      const current = currentToken(error);
      if (current === undefined) throw error;
      return call(current);
    }
  }

  click(options: ClickOptions = {}): Promise<JsonObject> {
    return this.act("click", options);
  }

  /** Sets the whole value at once. */
  async fill(value: string): Promise<JsonObject> {
    const { pid, window_id } = await this.window.find();
    return this.act("set_value", { ...(typeof pid === "number" && { pid }), window_id, value });
  }

  /** Types the text as keys, where it stands. */
  type(text: string): Promise<JsonObject> {
    return this.act("type_text", { text });
  }

  press(key: string, modifiers: string[] = []): Promise<JsonObject> {
    return this.act("press_key", { key, ...(modifiers.length > 0 && { modifiers }) });
  }

  /** Chooses an option of a list or combo box by its label. */
  select(option: string): Promise<JsonObject> {
    return this.act("select_option", { option });
  }

  /** Its value as it is now. */
  async value(): Promise<string> {
    return (await this.find()).value ?? "";
  }

  /** Whether it is there now. */
  async exists(): Promise<boolean> {
    try {
      await new Locator(this.window, { ...this.wanted, timeoutMs: 0 }).find();
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }

  toString(): string {
    const { role = "element", name } = this.wanted;
    return `${role}${name === undefined ? "" : ` ${name instanceof RegExp ? String(name) : JSON.stringify(name)}`}`;
  }
}

function currentToken(error: unknown): string | undefined {
  if (!(error instanceof Refused) || error.code !== "stale_element_token") return undefined;
  const details = error.details;
  if (typeof details !== "object" || details === null || Array.isArray(details)) return undefined;
  return typeof details.current_token === "string" ? details.current_token : undefined;
}
