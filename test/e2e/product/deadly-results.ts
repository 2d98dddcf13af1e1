/** What became of the deadly commits of a run: kept as JSON, of which the page in docs/ is made. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { cacheRoot } from '../build/cache.ts'
import type { Moment } from '../timeline.ts'
import { saysOf } from './course.ts'
import type { Catcher } from './deadly-commits.ts'

export interface DeadlyResult {
  readonly name: string
  readonly about: string
  readonly caughtBy: Catcher | 'nothing'
  /** Nodes. */
  readonly hurt: number
  /** Seconds from the push until every node is as before, and the pool says so. */
  readonly healedAfter: number
}

interface Course {
  readonly moments: readonly Moment[]
  readonly commit: string
  /** By the pool. */
  readonly said: string
}

/** Reasons of an agent that disturbed nothing. */
const REFUSALS = ['PreflightFailed', 'StaticPodsLost', 'ReservedBelowUse']

/** An agent that put the host back says for what reason; else it was the controller, which says so in the pool. */
export function catcherOf({ moments, commit, said }: Course): DeadlyResult['caughtBy'] {
  const rolledBack = moments.find((moment) => saysOf(moment, commit, 'RolledBack'))
  const reason = parseAgentStatus(rolledBack?.annotations.status)?.error?.reason
  if (reason !== undefined && REFUSALS.includes(reason)) return 'preflight'
  if (reason === 'UnitNotStarted') return 'activation'
  if (reason !== undefined) return 'health'
  if (said.includes('the pod that proves the node')) return 'pod proof'
  return said.includes('in its soak') ? 'soak' : 'nothing'
}

/** Gives the path of the file. */
export async function keepDeadlyResults(commits: readonly DeadlyResult[]): Promise<string> {
  const path = process.env.NODEWAVE_E2E_DEADLY ?? join(cacheRoot, 'results', 'deadly.json')
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, `${JSON.stringify(commits, null, 2)}\n`)
  return path
}
