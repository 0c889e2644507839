import type { Driver } from "./driver.js";
import type { Result } from "./result.js";
import { type Title, Window } from "./window.js";

/** An application, by name or pid. */
export class App {
  constructor(
    readonly driver: Driver,
    readonly which: string | RegExp | number,
  ) {}

  /** Its window with that title; any window where it has one only. */
  window(title: Title = /(?:)/): Window {
    return new Window(this.driver, { app: this.which, title });
  }

  /** Starts it, by desktop id, name or path. */
  async launch(args: object = {}): Promise<Result<unknown>> {
    if (typeof this.which !== "string") throw new TypeError("an application is launched by its name");
    const { structured, text, pictures, failed } = await this.driver.raw("launch_app", {
      name: this.which,
      ...args,
    });
    return { data: structured, text, pictures, failed };
  }
}
