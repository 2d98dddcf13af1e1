import { didYouMean } from '../repo/suggest.ts'
import { nameList } from './paint.ts'

/** `unknown node "wroker-1"; did you mean "worker-1"?`, or else which there are. */
export function unknownName(kind: 'node' | 'pool', name: string, known: Iterable<string>): string {
  const names = [...known]
  const near = didYouMean(name, names)
  return `unknown ${kind} "${name}"; ${near ?? (names.length === 0 ? `there are no ${kind}s` : `known ${kind}s: ${nameList(names)}`)}`
}
