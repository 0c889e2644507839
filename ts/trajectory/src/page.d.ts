/** The viewer's page, built by `npm run page`. */
declare module "#page" {
  export const script: string;
  export const style: string;
}
