import { setTimeout as sleep } from 'node:timers/promises'
import { AgentError } from '../../agent-error.ts'
import type { PackageManager } from '../../package-manager.ts'

/** Milliseconds between two looks at who has the lock. */
const POLL = 500

/** @param within milliseconds, after which the package manager itself has to find out */
export async function untilFree(database: Pick<PackageManager, 'holder'>, within: number): Promise<void> {
  const until = performance.now() + within
  while ((await database.holder()) !== undefined && performance.now() < until) await sleep(POLL)
}

export function busy(holder: string): AgentError {
  return new AgentError(`lock the package database: ${holder} has it; wait for it, or end it`, {
    kind: 'sync',
    reason: 'PackageManagerBusy',
  })
}
