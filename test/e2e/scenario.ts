/** What a scenario is: a cluster it asks for, and what it does there. A scenario fails by throwing. */
import type { Cluster, NodeSpec } from './cluster/cluster.ts'

export interface Scenario {
  readonly name: string
  readonly nodes: readonly NodeSpec[]
  /** Scenarios of one group that follow each other share a cluster, until one of them fails. */
  readonly group?: string
  /** Binaries that no cluster needs; their build begins with the run and goes on beside the scenarios before this one. */
  readonly builds?: readonly string[]
  /** It runs only when it is named: it takes too long for a run of all. */
  readonly onRequest?: true
  run(cluster: Cluster, report: Report): Promise<void>
}

export interface Report {
  /** Do one part of the scenario and remember how long it took; gives what `work` gives. */
  part<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Remember a time that was measured elsewhere. */
  time(name: string, milliseconds: number): void
  /** A line for people who watch. */
  say(line: string): void
}

/** A claim that must hold; what was found stands in the error. */
export function check(claim: string, holds: boolean, found?: unknown): asserts holds {
  if (!holds) throw new Error(`${claim}: does not hold${found === undefined ? '' : `, found ${JSON.stringify(found)}`}`)
}
