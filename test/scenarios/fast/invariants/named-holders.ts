import { isUnderDrain } from '../../../../src/rollout/model/cordon.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'
import { doesNotServe } from '../when-assigned.ts'
import { type Decided, decidedPools, isDown } from './steps.ts'

/** Who repairs a node that a message names, or asks its owner, finds it as the message says. */
export const namedHolders: Invariant = {
  claim: 'a status blames no node that is well for a budget that is used up, for a drain, or for having gone down',
  ofDecision: (observed) => decidedPools(observed).every((decided) => blamesTheUnwell(decided, observed)),
}

function blamesTheUnwell(decided: Decided, observed: Observed): boolean {
  return decided.decision.status.conditions.every(({ reason, message }) => {
    if (reason === 'WaitingForBudget') return holdersIn(message, decided, observed).every((node) => node && isUnwell(node))
    if (reason === 'NodesDown') return namesIn(before(' went down', message)).every((name) => !findIn(decided, name)?.ready)
    if (reason === 'DrainBlocked') return namesIn(before(', drained since', message)).every((name) => isDrained(name, decided))
    return true
  })
}

/** `used up by "b-0" of "b"` of the Fleet, or `by "b-0" (not Ready)` of the pool itself. */
function holdersIn(message: string, decided: Decided, { fleet }: Observed): (NodeView | undefined)[] {
  const ofPools = [...message.matchAll(/((?:"[^"]+"(?:, | and )?)+) of "([^"]+)"/g)].flatMap(([, names = '', pool]) => {
    const { nodes = [] } = fleet.pools.find(({ name }) => name === pool) ?? {}
    return namesIn(names).map((name) => nodes.find((node) => node.name === name))
  })
  const own = [...message.matchAll(/(?:by|before) "([^"]+)" \(/g)].map(([, name = '']) => findIn(decided, name))
  return [...ofPools, ...own]
}

function isUnwell(node: NodeView): boolean {
  return isDown(node) || isUnderDrain(node) || doesNotServe(node)
}

function isDrained(name: string, decided: Decided): boolean {
  const node = findIn(decided, name)
  return node !== undefined && isUnderDrain(node)
}

function findIn({ pool: { nodes } }: Decided, name: string): NodeView | undefined {
  return nodes.find((node) => node.name === name)
}

/** Nothing where the words are not there: what stands before them is about something else. */
function before(words: string, message: string): string {
  const end = message.indexOf(words)
  return end < 0 ? '' : message.slice(0, end)
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name)
}
