import { setImmediate as turn } from 'node:timers/promises'
import type { PlannedWrite } from '../../../src/controller/execution/node-writes.ts'
import type { PoolWork } from '../../../src/controller/execution/pool-journal.ts'
import { PoolWrites } from '../../../src/controller/execution/pool-writes.ts'
import { WriteFailures } from '../../../src/controller/writes/write-failures.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'

export const NOW = 1_000
const nodeOf = (name: string) => ({ name }) as never
export const assign = (node: string): Action => ({ kind: 'assign', node, revision: 'abc', digest: 'd', grant: 'none', at: 5 })
export const uncordon = (node: string): Action => ({ kind: 'uncordon', node, lifts: true })
export const retry: Action = { kind: 'clearControl', control: 'retry', value: 'abc' }

/** Notes all that is done, in order. The nodes are read, and the status is written, when the test says so. */
export function somePoolWrites({
  dueAt,
  isNews = true,
  isOpen = false,
  actionsAPass,
}: {
  dueAt?: number
  isNews?: boolean
  isOpen?: boolean
  actionsAPass?: number
} = {}) {
  const did: string[] = []
  const note = (text: string) => void did.push(text)
  const [nodes, status] = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()]
  const journal: { dueAt: number | undefined; isNews: boolean; fault?: Error } = { dueAt, isNews }
  const failures = new WriteFailures()
  const [ends, refused]: [Map<string, () => void>, Set<string>] = [new Map(), new Set()]
  const isSent = { is: true }
  const shown = ({ action }: Pick<PlannedWrite, 'action'>) => `${action.kind} ${action.node}`
  const writes = new PoolWrites({
    journal: {
      dueAt: () => journal.dueAt,
      isNews: () => journal.isNews,
      assume: (pool) => note(`assume status of ${pool}`),
      isOpen: () => isOpen,
      confirm: async (pool) => {
        if (!isOpen) return true
        note(`read nodes of ${pool}`)
        return nodes.promise
      },
      write: async (pool) => {
        note(`write status of ${pool}`)
        return status.promise
      },
      withdraw: () => undefined,
      afterwards: async (pool) => {
        note(`afterwards ${pool}`)
        if (journal.fault) throw journal.fault
      },
    },
    nodeWrites: {
      mayBegin: ({ action, config }) => !refused.has(action.node) && !refused.has(config?.digest ?? ''),
      assume: (write) => note(`assume ${shown(write)}`),
      begin: (write, ended) => {
        note(`begin ${shown(write)}${write.config ? ` with ${write.config.digest}` : ''}`)
        ends.set(write.action.node, ended)
      },
      withdraw: (write) => note(`withdraw ${shown(write)}`),
      isSent: () => isSent.is,
      recall: () => note('recall'),
    },
    askGate: (pool, { gate }) => note(`ask ${gate.name} of ${pool}`),
    prove: ({ kind }) => note(kind),
    clearControl: async (pool, { control }) => note(`clear ${control} of ${pool}`),
    failed: (object, error) => {
      failures.failed(object, { error, now: NOW })
      note(`failed ${object}: ${(error as Error).message}`)
    },
    changed: () => note('changed'),
    ...{ failures, now: () => NOW, actionsAPass },
  })
  const work = (...actions: readonly Action[]) =>
    ({
      ...{ compiled: { name: 'workers' }, decision: { actions, status: {} }, now: NOW },
      nodes: new Map(['a', 'b', 'c'].map((name) => [name, nodeOf(name)])),
      rendered: () => ({ kind: 'config', digest: 'd' }),
    }) as never as PoolWork
  const begin = (...actions: readonly Action[]) => writes.begin('workers', work(...actions))
  /** @returns what was done since it was asked last */
  const since = async (): Promise<string[]> => {
    await turn()
    return did.splice(0)
  }
  return { writes, begin, since, nodes, status, journal, failures, ends, refused, isSent }
}
