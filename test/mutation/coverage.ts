/** A function of a module as it runs, by offsets in its code; the module itself begins before 0. */
export type FunctionCalls = readonly [start: number, end: number, count: number]

/** By test file, what its tests called in one module. */
export type CallsByTest = ReadonlyMap<string, readonly FunctionCalls[]>

/**
 * The tests that call the innermost function around an offset. Undefined if that cannot be known: the code runs when the module is
 * loaded, and of all tests in a process only the first one loads it.
 */
export function testsCalling(offset: number, calls: CallsByTest): readonly string[] | undefined {
  const around = [...calls.values()].flat().filter(([start, end]) => start <= offset && offset < end)
  const [innermost] = around.toSorted((a, b) => a[1] - a[0] - (b[1] - b[0]))
  if (innermost === undefined || innermost[0] < 0) return undefined
  const [start, end] = innermost
  const calling = [...calls].filter(([, each]) => each.some((call) => call[0] === start && call[1] === end && call[2] > 0))
  return calling.length > 0 && calling.every(([, each]) => hasLoaded(each)) ? undefined : calling.map(([test]) => test)
}

function hasLoaded(calls: readonly FunctionCalls[]): boolean {
  return calls.some(([start, , count]) => start < 0 && count > 0)
}

/** Where two texts begin to differ. */
export function firstDifference(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}
