import { didYouMean } from '../repo/suggest.ts'
import { nameList } from './paint.ts'

const PLURAL = { node: 'nodes', pool: 'pools', 'node or pool': 'pools and nodes' }

/** `unknown node "wroker-1"; did you mean "worker-1"?`, or else which there are. */
export function unknownName(kind: keyof typeof PLURAL, name: string, known: Iterable<string>): string {
  const names = [...known]
  const near = didYouMean(name, names)
  return `unknown ${kind} "${name}"; ${near ?? (names.length === 0 ? `there are no ${PLURAL[kind]}` : `known ${PLURAL[kind]}: ${nameList(names)}`)}`
}
