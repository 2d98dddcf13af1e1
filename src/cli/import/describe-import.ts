import { labelCommand } from '../../import/build-repository.ts'
import type { PoolDescription } from '../../import/describe-pool.ts'
import type { CliIo } from '../cli-io.ts'
import { counted, paintFor, shownValue, tableLines } from '../paint.ts'
import { type JudgedFleet, problemLines } from '../read-fleet.ts'
import { type FoundChange, findChanges } from './find-changes.ts'
import type { ImportedFleet } from './imported-fleet.ts'

/** What came of an import. */
export interface ImportView {
  readonly pools: readonly PoolDescription[]
  /** Without an inventory, version, flags and configuration stay what they are. */
  readonly withoutInventory: readonly string[]
  readonly changes: readonly FoundChange[]
  readonly judged: JudgedFleet
}

export function importView({ subjects, pools }: ImportedFleet, judged: JudgedFleet): ImportView {
  const changes = judged.model === undefined ? [] : findChanges(judged.model, { subjects, pools })
  const withoutInventory = subjects.filter(({ inventory }) => inventory === undefined).map(({ node }) => node.name)
  return { pools, withoutInventory, changes, judged }
}

/** Paragraphs for people: pools, problems, what would change, and what is open. */
export function importParagraphs({ pools, withoutInventory, changes, judged }: ImportView, io: CliIo): string[] {
  const rows = pools.map(({ name, nodes, version }) => [name, String(nodes.length), version ?? 'not managed'])
  return [
    tableLines([['POOL', 'NODES', 'KUBELET'], ...rows]).join('\n'),
    ...(judged.problems.length + judged.renderProblems.length === 0 ? [] : problemLines(judged, paintFor(io))),
    ...changes.map(({ node, what }) => `the agent on "${node}" would change: ${what}`),
    ...(withoutInventory.length === 0 ? [] : [notAsked(withoutInventory)]),
    ...leftAsItIs(pools),
  ]
}

/** Columns of what a remark is about. */
const LONGEST = 100

/** Hosts wrote these. */
function leftAsItIs(pools: readonly PoolDescription[]): string[] {
  const left = pools.flatMap(({ name, remarks }) => remarks.map(({ what }) => [name, shownValue(what, LONGEST)]))
  if (left.length === 0) return []
  const lines = tableLines(left).map((line) => `\n  ${line}`)
  return [`${counted(left.length, 'comment')} in the files: what was left as it is, why, and what to do${lines.join('')}`]
}

function notAsked(nodes: readonly string[]): string {
  return `no inventory of ${nodes.join(', ')}: their pools manage nothing yet; run "nodewave agent import" on the hosts`
}

/** Commands that give nodes the labels of their pools. */
export function labelSteps(pools: readonly PoolDescription[]): string[] {
  return pools.filter(({ missingOn }) => missingOn.length > 0).map(labelCommand)
}

/** For programs. */
export function importData({ pools, withoutInventory, changes, judged }: ImportView) {
  return {
    valid: judged.model !== undefined,
    pools: pools.map(({ name, nodes, version, matchLabels, missingOn, remarks }) => ({
      ...{ name, nodes, version, matchLabels, missingOn },
      remarks: remarks.map(({ what, why, remedy }) => ({ what, why, remedy })),
    })),
    withoutInventory,
    changes,
  }
}
