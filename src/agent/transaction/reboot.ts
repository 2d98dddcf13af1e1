import { NOT_REBOOTED, REBOOT_REFUSED } from '../../protocol/agent-status.ts'
import { AgentError } from '../agent-error.ts'
import { ServiceCallKilled } from '../ports.ts'
import type { RebootLine, Suspended, TransactionHead } from './journal.ts'
import type { TransactionContext } from './transaction-context.ts'

/** An agent that dies between the line in the journal and the order gives the order again; no more often than this. */
const MAX_ORDERS = 3

/** Whether the machine has to start again before what the head says counts. */
export async function needsAnotherBoot({ awaits }: TransactionHead, { ports }: TransactionContext): Promise<boolean> {
  return awaits?.boot !== undefined && awaits.boot === (await ports.services.bootId())
}

/** The machine has started with the change, and must start once more without it. */
export async function needsBootBack({ awaits }: TransactionHead, { ports }: TransactionContext): Promise<boolean> {
  return awaits?.undo === true && awaits.boot !== undefined && awaits.boot !== (await ports.services.bootId())
}

/**
 * Asks the machine to start again: once in a process, on disk before that. A machine that comes back has another boot id, and nothing is
 * asked of it any more.
 * @throws {AgentError} when it refuses, or has not gone down after a while
 */
export async function reboot(earlier: readonly RebootLine[], { ports, journal, timing }: TransactionContext): Promise<Suspended> {
  const { services, clock, log } = ports
  const boot = await services.bootId()
  const orders = earlier.filter((line) => line.boot === boot)
  const [first] = orders
  if (first !== undefined && clock.elapsed() - first.elapsed >= timing.reboot)
    throw refused(NOT_REBOOTED, `it was asked to ${timing.reboot / 1000} s ago, and runs still`)
  if (journal.rebooting === boot || orders.length >= MAX_ORDERS) return { kind: 'suspended' }
  await journal.write({ at: 'rebooting', boot, elapsed: clock.elapsed() })
  journal.rebooting = boot
  log.warn('the machine reboots', { boot })
  await services.reboot().catch((cause: unknown) => {
    if (!(cause instanceof ServiceCallKilled)) throw refused(REBOOT_REFUSED, (cause as Error).message)
  })
  return { kind: 'suspended' }
}

function refused(reason: string, why: string): AgentError {
  return new AgentError(`the machine does not reboot: ${why}`, { kind: 'sync', reason })
}
