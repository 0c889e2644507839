/** The version that this client speaks; the packages and the driver are released together. */
export const version = "0.1.0";

/** Two versions speak to each other when major and minor are the same. */
export function fits(one: string, other: string): boolean {
  const head = (v: string) => v.split(".").slice(0, 2).join(".");
  return head(one) === head(other);
}
