import { didYouMean } from '../suggest.ts'

/**
 * What to do about a name that a kubelet does not know.
 * @param lifetime of the name in other versions, such as `removed in 1.35` or `known from 1.33 on`
 */
export function remedyFor(
  name: string,
  { lifetime, known }: { readonly lifetime: string | undefined; readonly known: Iterable<string> },
): string {
  if (lifetime?.startsWith('known')) return 'take it out, or raise kubelet.version of the pools that use it'
  if (lifetime !== undefined) return 'take it out'
  return didYouMean(name, known) ?? 'correct its name, or take it out'
}
