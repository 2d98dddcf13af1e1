import { BREAK_GLASS_GROUP, namesFor, POOL_CONTROLS } from '../../protocol/names.ts'
import type { RevisionRef } from '../../protocol/node-pool.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import type { Memory } from '../model/snapshot.ts'
import { NAMES_SHOWN, retryOfCommit, retryOfNodes } from '../model/text.ts'

/** What a person can do about it, to be pasted: our command, and the annotation that it writes for those who have `kubectl` alone. */
function command(verb: string, annotation: string, pool: string): string {
  return `nodewave ${verb} (or kubectl annotate --overwrite nwp/${pool} ${annotation})`
}

export function promoteCommand(pool: string, { revision }: RevisionRef): string {
  return command(`promote ${pool}`, `${POOL_CONTROLS.promote}=${shortRevision(revision, 12)}`, pool)
}

export function retryCommand(pool: string, commit: RevisionRef, memory: Pick<Memory, 'rejected'>): string {
  return command(retryOfCommit(pool, commit, memory), `${POOL_CONTROLS.retry}=${shortRevision(commit.revision, 12)}`, pool)
}

/** Of a pool that has not rejected its commit: the nodes that failed try it once more. */
export function retryNodesCommand(pool: string, target: RevisionRef, memory: Pick<Memory, 'rejected'>): string {
  const annotation = `${POOL_CONTROLS.retry}=${shortRevision(target.revision, 12)}`
  return command(retryOfNodes(pool, target, memory), annotation, pool)
}

/** No annotation beside it: what was asked once and failed is asked again with another instant, which the command writes. */
export function rebootCommand(nodes: readonly string[]): string {
  const more = nodes.length > NAMES_SHOWN ? `; and ${nodes.length - NAMES_SHOWN} more` : ''
  return `nodewave reboot ${nodes.slice(0, NAMES_SHOWN).join(' ')}${more}`
}

export function rollbackCommand(pool: string, { revision }: RevisionRef): string {
  const named = shortRevision(revision, 12)
  return command(`rollback ${pool} --to ${named}`, `${POOL_CONTROLS.rollback}=${named}`, pool)
}

export function endRollbackCommand(pool: string): string {
  return command(`resume ${pool}`, `${POOL_CONTROLS.rollback}-`, pool)
}

export function holdCommand(node: string): string {
  return `nodewave hold ${node} --reason WHY (or kubectl annotate node ${node} ${namesFor().hold}=WHY)`
}

/** Who assigned it by hand may be another one than who reads this. */
export function takeBackCommand(node: string): string {
  return `kubectl --as=$USER --as-group=${BREAK_GLASS_GROUP} annotate node ${node} ${namesFor().desiredConfig}-`
}
