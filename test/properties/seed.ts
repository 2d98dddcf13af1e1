/**
 * Which cases the properties draw. Always the same ones unless asked otherwise, or a rare counterexample would turn a change red
 * that has nothing to do with it.
 * @param asked FC_SEED: a whole number, or `random`
 * @returns undefined for other cases in every run
 */
export function propertySeed(asked: string | undefined): number | undefined {
  if (asked === undefined || asked === '') return 1
  if (asked === 'random') return undefined
  if (!/^-?\d{1,10}$/.test(asked)) throw new Error(`read FC_SEED "${asked}": it must be a whole number, or random`)
  return Number(asked)
}
