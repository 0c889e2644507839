// Generated from proto/tools.json by `cargo xtask codegen`. Do not edit.
import type { CallOptions, Json } from "@cua-driver/client";
import type { Result } from "../result.js";

export type ListWindowsArguments = {
  /** Only windows of this process. */
  pid?: number;
  on_screen_only?: boolean;
  session?: string;
};

export type ListWindowsResult = {
  windows: Array<{
    window_id: number;
    pid?: number;
    app_name: string;
    title: string;
    bounds: {
      x: number;
      y: number;
      width: number;
      height: number;
    };
    /** Larger is nearer the front. */
    z_index?: number;
    is_on_screen: boolean;
    /** normal, dialog, popup, utility or chrome. */
    kind: string;
    owner_window_id?: number;
    active?: boolean;
    minimized?: boolean;
  }>;
};

export type GetWindowStateArguments = {
  pid?: number;
  window_id?: number;
  include_accessibility_tree?: boolean;
  include_screenshot?: boolean;
  /** false: only the text, without elements[]; tokens are snapshot_id:index. */
  include_elements?: boolean;
  /** Also put the text into tree_markdown. */
  include_tree_markdown?: boolean;
  /** Keep only lines that contain this, and what holds them. */
  query?: string;
  max_elements?: number;
  max_depth?: number;
  /** About how long the answer may be. */
  max_bytes?: number;
  /** Only what changed since this snapshot of the window. */
  since?: string;
  /** Write the PNG to this absolute file instead of returning it. */
  screenshot_out_file?: string;
  session?: string;
};

export type GetWindowStateResult = {
  window_id: number;
  pid?: number;
  window: Record<string, Json>;
  snapshot_id?: string;
  /** Of the window. */
  element_count?: number;
  /** In this answer. */
  returned_element_count?: number;
  /** Nothing was left out. */
  elements_complete?: boolean;
  truncated?: Record<string, Json>;
  degraded_reason?: string;
  hint?: string;
  elements?: Array<Record<string, Json>>;
  tree_markdown?: string;
  /** Nothing changed since the snapshot that was named. */
  unchanged?: boolean;
  since?: string;
  removed?: number[];
  screenshot?: {
    width: number;
    height: number;
    /** Picture pixels per native pixel. */
    scale: number;
    window_origin: {
      x: number;
      y: number;
    };
    /** RFC 3339. */
    captured_at: string;
    /** Part that was off the screen and has no true pixels. */
    partly_off_screen?: boolean;
  };
  screenshot_width?: number;
  screenshot_height?: number;
  screenshot_mime_type?: string;
  screenshot_file_path?: string;
  screenshot_error?: Record<string, Json>;
};

export type ListAppsArguments = {
  session?: string;
};

export type ListAppsResult = {
  apps: Array<{
    /** 0 when not running. */
    pid: number;
    name: string;
    bundle_id: string;
    running: boolean;
    active: boolean;
    kind: string;
    launch_path?: string;
  }>;
};

export type GetDesktopStateArguments = {
  /** Also write the PNG to this absolute file. */
  screenshot_out_file?: string;
  session?: string;
};

export type GetDesktopStateResult = {
  platform: string;
  display: string;
  screen_width: number;
  screen_height: number;
  scale_factor: number;
  screenshot: {
    width: number;
    height: number;
    /** Picture pixels per native pixel. */
    scale: number;
    window_origin: {
      x: number;
      y: number;
    };
    /** RFC 3339. */
    captured_at: string;
    /** Part that was off the screen and has no true pixels. */
    partly_off_screen?: boolean;
  };
  screenshot_width: number;
  screenshot_height: number;
  screenshot_mime_type: string;
  screenshot_file_path?: string;
  displays: Array<{
    id: string;
    x: number;
    y: number;
    width: number;
    height: number;
    primary: boolean;
  }>;
};

export type GetScreenSizeArguments = {
  session?: string;
};

export type GetScreenSizeResult = {
  width: number;
  height: number;
  scale_factor: number;
};

export type GetCursorPositionArguments = {
  session?: string;
};

export type GetCursorPositionResult = {
  x: number;
  y: number;
};

export type ZoomArguments = {
  pid?: number;
  window_id?: number;
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  session?: string;
};

export type ZoomResult = {
  width: number;
  height: number;
  /** Pixels of this picture per pixel of the window's last picture. */
  scale: number;
  format: string;
  mime_type: string;
};

export type VerifyStateArguments = {
  pid?: number;
  window_id: number;
  expect: Array<{
    window?: {
      exists?: boolean;
      bounds?: {
        x: number;
        y: number;
        width: number;
        height: number;
        /** Default 1. */
        tolerance_px?: number;
      };
    };
    element?: {
      /** role, label, label_contains, and within: the label of something it lies in. */
      selector: {
        role?: string;
        label?: string;
        label_contains?: string;
        within?: string;
      };
      exists?: boolean;
      value_equals?: string;
      value_contains?: string;
      enabled?: boolean;
      selected?: boolean;
      focused?: boolean;
      checked?: boolean;
    };
    /** Text that some element shows. */
    text?: string;
  }>;
  /** Default 5000. */
  timeout_ms?: number;
  /** Default 2. */
  stable_samples?: number;
  include_screenshot?: boolean;
  session?: string;
};

export type VerifyStateResult = {
  /** satisfied, unsatisfied or unknown. */
  status: string;
  stable: boolean;
  elapsed_ms: number;
  samples: number;
  predicates: Array<{
    index: number;
    status: string;
    unknown_reason?: string;
    observed_json?: string;
  }>;
  screenshot_error?: string;
};

export type WaitForArguments = {
  pid?: number;
  window_id: number;
  expect: Array<{
    window?: {
      exists?: boolean;
      bounds?: {
        x: number;
        y: number;
        width: number;
        height: number;
        /** Default 1. */
        tolerance_px?: number;
      };
    };
    element?: {
      /** role, label, label_contains, and within: the label of something it lies in. */
      selector: {
        role?: string;
        label?: string;
        label_contains?: string;
        within?: string;
      };
      exists?: boolean;
      value_equals?: string;
      value_contains?: string;
      enabled?: boolean;
      selected?: boolean;
      focused?: boolean;
      checked?: boolean;
    };
    /** Text that some element shows. */
    text?: string;
  }>;
  /** Default 10000. */
  timeout_ms?: number;
  /** Default 1. */
  stable_samples?: number;
  include_screenshot?: boolean;
  session?: string;
};

export type WaitForResult = {
  /** satisfied, unsatisfied or unknown. */
  status: string;
  stable: boolean;
  elapsed_ms: number;
  samples: number;
  predicates: Array<{
    index: number;
    status: string;
    unknown_reason?: string;
    observed_json?: string;
  }>;
  screenshot_error?: string;
};

export type ClickArguments = {
  pid?: number;
  window_id?: number;
  /** Token from get_window_state; enough by itself. */
  element_token?: string;
  snapshot_id?: string;
  /** With snapshot_id. */
  element_index?: number;
  /** Pixels of the last picture of the target. */
  x?: number;
  y?: number;
  /** The whole target in one argument. */
  target?: {
    kind: "window" | "desktop";
    pid?: number;
    window_id?: number;
    /** primary */
    display_id?: string;
  };
  button?: "left" | "middle" | "right";
  count?: number;
  /** ctrl, shift, alt, super. */
  modifier?: string[];
  delivery_mode?: "background" | "foreground";
  session?: string;
};

export type ClickResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type DoubleClickArguments = {
  pid?: number;
  window_id?: number;
  /** Token from get_window_state; enough by itself. */
  element_token?: string;
  snapshot_id?: string;
  /** With snapshot_id. */
  element_index?: number;
  /** Pixels of the last picture of the target. */
  x?: number;
  y?: number;
  /** The whole target in one argument. */
  target?: {
    kind: "window" | "desktop";
    pid?: number;
    window_id?: number;
    /** primary */
    display_id?: string;
  };
  modifier?: string[];
  delivery_mode?: "background" | "foreground";
  session?: string;
};

export type DoubleClickResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type RightClickArguments = {
  pid?: number;
  window_id?: number;
  /** Token from get_window_state; enough by itself. */
  element_token?: string;
  snapshot_id?: string;
  /** With snapshot_id. */
  element_index?: number;
  /** Pixels of the last picture of the target. */
  x?: number;
  y?: number;
  /** The whole target in one argument. */
  target?: {
    kind: "window" | "desktop";
    pid?: number;
    window_id?: number;
    /** primary */
    display_id?: string;
  };
  modifier?: string[];
  delivery_mode?: "background" | "foreground";
  session?: string;
};

export type RightClickResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type DragArguments = {
  pid?: number;
  window_id?: number;
  /** The whole target in one argument. */
  target?: {
    kind: "window" | "desktop";
    pid?: number;
    window_id?: number;
    /** primary */
    display_id?: string;
  };
  from_x: number;
  from_y: number;
  to_x: number;
  to_y: number;
  /** Default 500. */
  duration_ms?: number;
  /** Default 20. */
  steps?: number;
  button?: "left" | "middle" | "right";
  modifier?: string[];
  delivery_mode?: "background" | "foreground";
  session?: string;
};

export type DragResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type ScrollArguments = {
  pid?: number;
  window_id?: number;
  /** Token from get_window_state; enough by itself. */
  element_token?: string;
  snapshot_id?: string;
  /** With snapshot_id. */
  element_index?: number;
  /** Pixels of the last picture of the target. */
  x?: number;
  y?: number;
  /** The whole target in one argument. */
  target?: {
    kind: "window" | "desktop";
    pid?: number;
    window_id?: number;
    /** primary */
    display_id?: string;
  };
  direction: "up" | "down" | "left" | "right";
  by?: "line" | "page";
  /** Default 3. */
  amount?: number;
  modifier?: string[];
  delivery_mode?: "background" | "foreground";
  session?: string;
};

export type ScrollResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type MoveCursorArguments = {
  pid?: number;
  window_id?: number;
  /** The whole target in one argument. */
  target?: {
    kind: "window" | "desktop";
    pid?: number;
    window_id?: number;
    /** primary */
    display_id?: string;
  };
  x: number;
  y: number;
  delivery_mode?: "background" | "foreground";
  session?: string;
};

export type MoveCursorResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type TypeTextArguments = {
  pid?: number;
  window_id?: number;
  /** Token from get_window_state; enough by itself. */
  element_token?: string;
  snapshot_id?: string;
  /** With snapshot_id. */
  element_index?: number;
  /** Pixels of the last picture of the target. */
  x?: number;
  y?: number;
  /** The whole target in one argument. */
  target?: {
    kind: "window" | "desktop";
    pid?: number;
    window_id?: number;
    /** primary */
    display_id?: string;
  };
  text?: string;
  /** Instead of text: a name in the driver's secret source. */
  secret?: string;
  delivery_mode?: "background" | "foreground";
  /** Accepted and not needed: keys wait for the application by themselves. */
  delay_ms?: number;
  session?: string;
};

export type TypeTextResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type PressKeyArguments = {
  pid?: number;
  window_id?: number;
  /** Token from get_window_state; enough by itself. */
  element_token?: string;
  snapshot_id?: string;
  /** With snapshot_id. */
  element_index?: number;
  /** Pixels of the last picture of the target. */
  x?: number;
  y?: number;
  /** The whole target in one argument. */
  target?: {
    kind: "window" | "desktop";
    pid?: number;
    window_id?: number;
    /** primary */
    display_id?: string;
  };
  key: string;
  modifiers?: string[];
  delivery_mode?: "background" | "foreground";
  session?: string;
};

export type PressKeyResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type HotkeyArguments = {
  pid?: number;
  window_id?: number;
  /** Token from get_window_state; enough by itself. */
  element_token?: string;
  snapshot_id?: string;
  /** With snapshot_id. */
  element_index?: number;
  /** Pixels of the last picture of the target. */
  x?: number;
  y?: number;
  /** The whole target in one argument. */
  target?: {
    kind: "window" | "desktop";
    pid?: number;
    window_id?: number;
    /** primary */
    display_id?: string;
  };
  keys: string[];
  modifiers?: string[];
  delivery_mode?: "background" | "foreground";
  session?: string;
};

export type HotkeyResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type SetValueArguments = {
  pid?: number;
  window_id?: number;
  /** Token from get_window_state; enough by itself. */
  element_token?: string;
  snapshot_id?: string;
  /** With snapshot_id. */
  element_index?: number;
  value: string;
  session?: string;
};

export type SetValueResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type SelectOptionArguments = {
  pid?: number;
  window_id?: number;
  /** Token from get_window_state; enough by itself. */
  element_token?: string;
  snapshot_id?: string;
  /** With snapshot_id. */
  element_index?: number;
  option?: string;
  index?: number;
  session?: string;
};

export type SelectOptionResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type InvokeMenuArguments = {
  pid?: number;
  window_id?: number;
  path: string[];
  session?: string;
};

export type InvokeMenuResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type SetWindowFrameArguments = {
  pid?: number;
  window_id?: number;
  x: number;
  y: number;
  width: number;
  height: number;
  session?: string;
};

export type SetWindowFrameResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type SetWindowStateArguments = {
  pid?: number;
  window_id?: number;
  state: "minimized" | "maximized" | "restored" | "closed";
  session?: string;
};

export type SetWindowStateResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type BringToFrontArguments = {
  pid?: number;
  window_id?: number;
  session?: string;
};

export type BringToFrontResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type LaunchAppArguments = {
  /** Desktop id, name or absolute path. */
  name?: string;
  /** The same as name; goes before it. */
  launch_path?: string;
  /** Desktop id. */
  bundle_id?: string;
  urls?: string[];
  additional_arguments?: string[];
  session?: string;
};

export type LaunchAppResult = {
  pid?: number;
  name: string;
  bundle_id?: string;
  running: boolean;
  active: boolean;
  windows: Array<{
    window_id: number;
    pid?: number;
    app_name: string;
    title: string;
    bounds: {
      x: number;
      y: number;
      width: number;
      height: number;
    };
    /** Larger is nearer the front. */
    z_index?: number;
    is_on_screen: boolean;
    /** normal, dialog, popup, utility or chrome. */
    kind: string;
    owner_window_id?: number;
    active?: boolean;
    minimized?: boolean;
  }>;
  launch_state: {
    requested: boolean;
    process_running: boolean;
    window_ready: boolean;
  };
};

export type KillAppArguments = {
  pid: number;
  force?: boolean;
  session?: string;
};

export type KillAppResult = {
  effect: "confirmed" | "partial" | "unverifiable" | "suspected_noop" | "refused";
  route: "accessibility" | "synthetic_events" | "global_input" | "system_api" | "dom" | "trusted_input";
  delivery?: {
    mode: "background" | "foreground" | "not_applicable" | "unknown";
    delivered_count?: number;
  };
  evidence?: Array<{
    kind: "value_readback" | "state_readback" | "selection_readback" | "focus_change" | "window_change";
  }>;
  escalation?: {
    target: "pixel" | "foreground" | "page" | "session";
    reason: "route_unavailable" | "delivery_failed" | "effect_unconfirmed" | "suspected_noop" | "permission_required";
  };
};

export type ClipboardReadArguments = {
  include_text?: boolean;
  session?: string;
};

export type ClipboardReadResult = {
  supported: boolean;
  types: string[];
  text?: string;
  /** Its owner marked it as secret. */
  privacy_sensitive: boolean;
};

export type ClipboardWriteArguments = {
  text?: string;
  /** Absolute PNG file. */
  image_path?: string;
  /** Absolute file. */
  file_path?: string;
  session?: string;
};

export type ClipboardWriteResult = {
  supported: boolean;
  written_type: string;
  types: string[];
};

export type StartRecordingArguments = {
  /** Absolute or ~/; made where it is not there. */
  output_dir: string;
  /** Also a video of the display, recording.mp4. */
  record_video?: boolean;
  video_fps?: number;
  /** own (default): acts of this session; all: of every session. */
  sessions?: "own" | "all";
  /** Go on in a directory that holds a recording. */
  resume?: boolean;
  /** Remove the recording that the directory holds, and nothing else. */
  overwrite?: boolean;
  /** Keep text that goes to the clipboard. */
  record_clipboard?: boolean;
  /** Default 10000. */
  max_turns?: number;
  /** Default 2 GiB. */
  max_bytes?: number;
  /** Default 120. */
  max_minutes?: number;
  session?: string;
};

export type StartRecordingResult = {
  recording: boolean;
  output_dir: Json;
  next_turn: Json;
  video_active: boolean;
  last_error: Json;
  turns: number | null;
  video: Json;
  session: string | null;
  sessions: string | null;
  others_not_recorded: number | null;
  trajectory_id: string | null;
  started_at: string | null;
  end_reason: Json;
  /** Recordings of other sessions. */
  others: Json[] | null;
  /** Ended recordings whose video is still being masked. */
  masking: string[] | null;
};

export type StopRecordingArguments = {
  /** Names the recording; needed only for another session's. */
  output_dir?: string;
  /** Also another session's. */
  take_over?: boolean;
  session?: string;
};

export type StopRecordingResult = {
  recording: boolean;
  output_dir: Json;
  next_turn: Json;
  video_active: boolean;
  last_error: Json;
  turns: number | null;
  video: Json;
  session: string | null;
  sessions: string | null;
  others_not_recorded: number | null;
  trajectory_id: string | null;
  started_at: string | null;
  end_reason: Json;
  /** Recordings of other sessions. */
  others: Json[] | null;
  /** Ended recordings whose video is still being masked. */
  masking: string[] | null;
};

export type GetRecordingStateArguments = {
  session?: string;
};

export type GetRecordingStateResult = {
  recording: boolean;
  output_dir: Json;
  next_turn: Json;
  video_active: boolean;
  last_error: Json;
  turns: number | null;
  video: Json;
  session: string | null;
  sessions: string | null;
  others_not_recorded: number | null;
  trajectory_id: string | null;
  started_at: string | null;
  end_reason: Json;
  /** Recordings of other sessions. */
  others: Json[] | null;
  /** Ended recordings whose video is still being masked. */
  masking: string[] | null;
};

export type ReplayTrajectoryArguments = {
  /** The recording's directory. */
  dir: string;
  /** Pause between turns; default 500. */
  delay_ms?: number;
  stop_on_error?: boolean;
  /** durable (default): targets are found again; literal: arguments are sent as recorded. */
  mode?: "durable" | "literal";
  /** Find everything, act on nothing. */
  dry_run?: boolean;
  /** First turn. */
  from?: number;
  /** Last turn. */
  to?: number;
  /** How long each target is waited for; default 10000. */
  wait_ms?: number;
  /** Pauses as recorded, divided by this; with delay_ms that pause divided by it. */
  speed?: number;
  /** Values for {{name}} in recorded text. */
  parameters?: Record<string, string>;
  /** For each secret the recording left out: its name in the secret source. Never values. */
  secrets?: Record<string, string>;
  session?: string;
};

export type ReplayTrajectoryResult = {
  status: "ok" | "drifted" | "failed" | "cancelled";
  turns: Array<{
    turn: number;
    tool: string;
    status: "ok" | "drifted" | "failed" | "skipped";
    /** What found the target: id, path, role_name, neighbours, structure, point, window, application, none, literal. */
    rung?: string;
    code?: string;
    message?: string;
    candidates?: Json[];
    differences: Array<{
      /** title, size, element, value, state, result or picture. */
      what: string;
      at?: string;
      recorded: Json;
      now: Json;
    }>;
    /** Since the replay began. */
    started_ms: number;
    duration_ms: number;
  }>;
  counts: {
    ok: number;
    drifted: number;
    failed: number;
    skipped: number;
  };
  dir: string;
  /** How a target is reached. */
  mode: "durable" | "literal";
  dry_run: boolean;
  duration_ms: number;
};

export type StartSessionArguments = {
  session?: string;
};

export type StartSessionResult = {
  session: string | null;
  active: boolean;
  revived: boolean;
};

export type EndSessionArguments = {
  session?: string;
};

export type EndSessionResult = {
  session: string | null;
  active: boolean;
};

export type GetSessionArguments = {
  session?: string;
};

export type GetSessionResult = {
  /** null for a connection's own. */
  session: string | null;
  implicit: boolean;
  state: string;
  client_kind: string;
  recording_active: boolean;
  idle_seconds: number;
  expires_in_seconds: number;
};

export type ListSessionsArguments = {
  limit?: number;
  /** next_cursor of the page before. */
  cursor?: string;
  session?: string;
};

export type ListSessionsResult = {
  sessions: Array<{
    /** null for a connection's own. */
    session: string | null;
    implicit: boolean;
    state: string;
    client_kind: string;
    recording_active: boolean;
    idle_seconds: number;
    expires_in_seconds: number;
  }>;
  next_cursor?: string;
};

export type GetConfigArguments = {
  session?: string;
};

export type GetConfigResult = {
  version: string;
  platform: string;
  max_image_dimension: number;
  /** How long a token acts. */
  token_lifetime: "snapshot" | "object";
};

export type SetConfigArguments = {
  /** Longest side of pictures in pixels; 0 is native size. Default 1568. */
  max_image_dimension?: number;
  /** snapshot (default): a new snapshot ends older tokens; object: they act while their object lives. */
  token_lifetime?: "snapshot" | "object";
  /** With value: another way to name one setting. */
  key?: string;
  value?: Json;
  /** Back to the default: the setting that key names, or without key every one. */
  reset?: boolean;
  session?: string;
};

export type SetConfigResult = {
  version: string;
  platform: string;
  max_image_dimension: number;
  /** How long a token acts. */
  token_lifetime: "snapshot" | "object";
};

export type CheckPermissionsArguments = {
  session?: string;
};

export type CheckPermissionsResult = {
  accessibility: boolean;
  screen_recording: boolean;
  input: boolean;
  missing: Array<{
    name: string;
    message: string;
    hint: string;
  }>;
};

export type HealthReportArguments = {
  /** Only these checks. */
  include?: string[];
  skip?: string[];
  session?: string;
};

export type HealthReportResult = {
  schema_version: string;
  platform: string;
  driver_version: string;
  /** ok, degraded or failed. */
  overall: string;
  checks: Array<Record<string, Json>>;
};

/** Every tool by its name. */
export interface ToolMap {
  list_windows: { arguments: ListWindowsArguments; result: ListWindowsResult };
  get_window_state: { arguments: GetWindowStateArguments; result: GetWindowStateResult };
  list_apps: { arguments: ListAppsArguments; result: ListAppsResult };
  get_desktop_state: { arguments: GetDesktopStateArguments; result: GetDesktopStateResult };
  get_screen_size: { arguments: GetScreenSizeArguments; result: GetScreenSizeResult };
  get_cursor_position: { arguments: GetCursorPositionArguments; result: GetCursorPositionResult };
  zoom: { arguments: ZoomArguments; result: ZoomResult };
  verify_state: { arguments: VerifyStateArguments; result: VerifyStateResult };
  wait_for: { arguments: WaitForArguments; result: WaitForResult };
  click: { arguments: ClickArguments; result: ClickResult };
  double_click: { arguments: DoubleClickArguments; result: DoubleClickResult };
  right_click: { arguments: RightClickArguments; result: RightClickResult };
  drag: { arguments: DragArguments; result: DragResult };
  scroll: { arguments: ScrollArguments; result: ScrollResult };
  move_cursor: { arguments: MoveCursorArguments; result: MoveCursorResult };
  type_text: { arguments: TypeTextArguments; result: TypeTextResult };
  press_key: { arguments: PressKeyArguments; result: PressKeyResult };
  hotkey: { arguments: HotkeyArguments; result: HotkeyResult };
  set_value: { arguments: SetValueArguments; result: SetValueResult };
  select_option: { arguments: SelectOptionArguments; result: SelectOptionResult };
  invoke_menu: { arguments: InvokeMenuArguments; result: InvokeMenuResult };
  set_window_frame: { arguments: SetWindowFrameArguments; result: SetWindowFrameResult };
  set_window_state: { arguments: SetWindowStateArguments; result: SetWindowStateResult };
  bring_to_front: { arguments: BringToFrontArguments; result: BringToFrontResult };
  launch_app: { arguments: LaunchAppArguments; result: LaunchAppResult };
  kill_app: { arguments: KillAppArguments; result: KillAppResult };
  clipboard_read: { arguments: ClipboardReadArguments; result: ClipboardReadResult };
  clipboard_write: { arguments: ClipboardWriteArguments; result: ClipboardWriteResult };
  start_recording: { arguments: StartRecordingArguments; result: StartRecordingResult };
  stop_recording: { arguments: StopRecordingArguments; result: StopRecordingResult };
  get_recording_state: { arguments: GetRecordingStateArguments; result: GetRecordingStateResult };
  replay_trajectory: { arguments: ReplayTrajectoryArguments; result: ReplayTrajectoryResult };
  start_session: { arguments: StartSessionArguments; result: StartSessionResult };
  end_session: { arguments: EndSessionArguments; result: EndSessionResult };
  get_session: { arguments: GetSessionArguments; result: GetSessionResult };
  list_sessions: { arguments: ListSessionsArguments; result: ListSessionsResult };
  get_config: { arguments: GetConfigArguments; result: GetConfigResult };
  set_config: { arguments: SetConfigArguments; result: SetConfigResult };
  check_permissions: { arguments: CheckPermissionsArguments; result: CheckPermissionsResult };
  health_report: { arguments: HealthReportArguments; result: HealthReportResult };
}

/** One method per tool. Each throws `Refused` or `Unreachable`. */
export abstract class ToolCalls {
  abstract call<N extends keyof ToolMap>(
    tool: N,
    args: ToolMap[N]["arguments"],
    options?: CallOptions,
  ): Promise<Result<ToolMap[N]["result"]>>;

  /** Lists top-level windows, menus and dialogs with pid, window_id, title and bounds (screen pixels). */
  listWindows(args: ListWindowsArguments = {}, options?: CallOptions) {
    return this.call("list_windows", args, options);
  }

  /** Reads one window: its elements with tokens to act on, and a picture whose pixels x,y arguments refer to. A new snapshot ends the tokens of the one before; indices stay with their elements. */
  getWindowState(args: GetWindowStateArguments = {}, options?: CallOptions) {
    return this.call("get_window_state", args, options);
  }

  /** Lists running and installed applications. */
  listApps(args: ListAppsArguments = {}, options?: CallOptions) {
    return this.call("list_apps", args, options);
  }

  /** A picture of the whole desktop. Points in it address `target: {"kind":"desktop"}`. */
  getDesktopState(args: GetDesktopStateArguments = {}, options?: CallOptions) {
    return this.call("get_desktop_state", args, options);
  }

  /** Size of the desktop in pixels. */
  getScreenSize(args: GetScreenSizeArguments = {}, options?: CallOptions) {
    return this.call("get_screen_size", args, options);
  }

  /** Where the person's pointer is, in screen pixels. */
  getCursorPosition(args: GetCursorPositionArguments = {}, options?: CallOptions) {
    return this.call("get_cursor_position", args, options);
  }

  /** A part of a window at native sharpness. x1,y1,x2,y2 are pixels of the window's last picture; points for actions stay pixels of that picture. */
  zoom(args: ZoomArguments, options?: CallOptions) {
    return this.call("zoom", args, options);
  }

  /** Checks 1 to 8 predicates, all of which must hold, in some samples in a row: satisfied, unsatisfied or unknown. */
  verifyState(args: VerifyStateArguments, options?: CallOptions) {
    return this.call("verify_state", args, options);
  }

  /** Waits until 1 to 8 predicates hold; the same predicates as verify_state. */
  waitFor(args: WaitForArguments, options?: CallOptions) {
    return this.call("wait_for", args, options);
  }

  /** Clicks an element (element_token) or a point (window_id, x, y). Background by default: the person's pointer and focus stay. effect says what is known of it. */
  click(args: ClickArguments = {}, options?: CallOptions) {
    return this.call("click", args, options);
  }

  /** Double-clicks an element or a point. */
  doubleClick(args: DoubleClickArguments = {}, options?: CallOptions) {
    return this.call("double_click", args, options);
  }

  /** Right-clicks an element or a point. */
  rightClick(args: RightClickArguments = {}, options?: CallOptions) {
    return this.call("right_click", args, options);
  }

  /** Presses at from_x,from_y, moves and releases at to_x,to_y: pixels of the last picture. */
  drag(args: DragArguments, options?: CallOptions) {
    return this.call("drag", args, options);
  }

  /** Turns the wheel over a point, an element, or the middle of the window; one notch a line. */
  scroll(args: ScrollArguments, options?: CallOptions) {
    return this.call("scroll", args, options);
  }

  /** Moves a pointer to a point: the driver's own in the background, the person's in the foreground, where it stays. */
  moveCursor(args: MoveCursorArguments, options?: CallOptions) {
    return this.call("move_cursor", args, options);
  }

  /** Types text into a field (element_token) or where the keyboard of the window is; newline is Return except in multi-line fields. Exact, or partial with delivered_count. */
  typeText(args: TypeTextArguments = {}, options?: CallOptions) {
    return this.call("type_text", args, options);
  }

  /** Presses one key (return, tab, escape, up, f5, kp_enter, volumeup, or a character) in a window or element. */
  pressKey(args: PressKeyArguments, options?: CallOptions) {
    return this.call("press_key", args, options);
  }

  /** Presses keys together, modifiers first: ["ctrl","s"]. */
  hotkey(args: HotkeyArguments, options?: CallOptions) {
    return this.call("hotkey", args, options);
  }

  /** Sets the value of a field, slider, spin button, check box (true, false) or combo box, and reads it back. Never by pixels. */
  setValue(args: SetValueArguments, options?: CallOptions) {
    return this.call("set_value", args, options);
  }

  /** Chooses an option of a combo box or list by its exact label or its index from 0, and reads it back. */
  selectOption(args: SelectOptionArguments = {}, options?: CallOptions) {
    return this.call("select_option", args, options);
  }

  /** Chooses a menu item by its exact labels from the menu bar down: ["File","Save"]. No pixels. */
  invokeMenu(args: InvokeMenuArguments, options?: CallOptions) {
    return this.call("invoke_menu", args, options);
  }

  /** Moves and sizes a window: its client area, in screen pixels. */
  setWindowFrame(args: SetWindowFrameArguments, options?: CallOptions) {
    return this.call("set_window_frame", args, options);
  }

  /** Minimises, maximises, restores or closes a window. */
  setWindowState(args: SetWindowStateArguments, options?: CallOptions) {
    return this.call("set_window_state", args, options);
  }

  /** Raises a window and makes it active, for good. */
  bringToFront(args: BringToFrontArguments = {}, options?: CallOptions) {
    return this.call("bring_to_front", args, options);
  }

  /** Starts an application by desktop id, name or absolute path, without giving it the focus, and waits a moment for its window. */
  launchApp(args: LaunchAppArguments = {}, options?: CallOptions) {
    return this.call("launch_app", args, options);
  }

  /** Asks an application to end, as its close button and then SIGTERM do; force ends it at once. */
  killApp(args: KillAppArguments, options?: CallOptions) {
    return this.call("kill_app", args, options);
  }

  /** What the clipboard offers; its text only when asked for. */
  clipboardRead(args: ClipboardReadArguments = {}, options?: CallOptions) {
    return this.call("clipboard_read", args, options);
  }

  /** Puts text, a PNG file or a file on the clipboard: exactly one of them. */
  clipboardWrite(args: ClipboardWriteArguments = {}, options?: CallOptions) {
    return this.call("clipboard_write", args, options);
  }

  /** Records every act of this session from now on: pictures and elements before and after, the target by what lasts, the result. For replay, comparison, review. Secrets are left out. */
  startRecording(args: StartRecordingArguments, options?: CallOptions) {
    return this.call("start_recording", args, options);
  }

  /** Ends this session's recording: turns are written, the video is whole. */
  stopRecording(args: StopRecordingArguments = {}, options?: CallOptions) {
    return this.call("stop_recording", args, options);
  }

  /** Says whether this session records, where to, and what went wrong. */
  getRecordingState(args: GetRecordingStateArguments = {}, options?: CallOptions) {
    return this.call("get_recording_state", args, options);
  }

  /** Does a recording again: finds each target by what lasts, waits for it, acts once, compares. Stops at the first turn that fails unless stop_on_error is false. */
  replayTrajectory(args: ReplayTrajectoryArguments, options?: CallOptions) {
    return this.call("replay_trajectory", args, options);
  }

  /** Starts a labelled session, or revives one that ended. Labels group calls; without one each connection has its own session. */
  startSession(args: StartSessionArguments = {}, options?: CallOptions) {
    return this.call("start_session", args, options);
  }

  /** Ends a session: its tokens, held input and recording end with it. */
  endSession(args: EndSessionArguments = {}, options?: CallOptions) {
    return this.call("end_session", args, options);
  }

  /** This session. */
  getSession(args: GetSessionArguments = {}, options?: CallOptions) {
    return this.call("get_session", args, options);
  }

  /** Every live session. */
  listSessions(args: ListSessionsArguments = {}, options?: CallOptions) {
    return this.call("list_sessions", args, options);
  }

  /** The settings in force for this session. */
  getConfig(args: GetConfigArguments = {}, options?: CallOptions) {
    return this.call("get_config", args, options);
  }

  /** Changes settings, or takes them back to their defaults (reset): for the session that is named (session), else kept for all. */
  setConfig(args: SetConfigArguments = {}, options?: CallOptions) {
    return this.call("set_config", args, options);
  }

  /** What the driver may and can do here, with what brings the missing parts. */
  checkPermissions(args: CheckPermissionsArguments = {}, options?: CallOptions) {
    return this.call("check_permissions", args, options);
  }

  /** One check of everything, each failure with what mends it. */
  healthReport(args: HealthReportArguments = {}, options?: CallOptions) {
    return this.call("health_report", args, options);
  }
}
