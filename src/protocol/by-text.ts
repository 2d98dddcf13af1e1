/** By code units, so that the order is the same on every machine; equal texts keep their order. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** For `sort`: `nodes.toSorted(byText(({ name }) => name))`. */
export function byText<T>(textOf: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => compareTexts(textOf(a), textOf(b))
}
