import { splitFlagString, unrepresentableIn } from '../../protocol/flag-string.ts'
import { AgentError } from '../agent-error.ts'
import { MANAGER_TITLES, type ServiceManagerName } from '../service-managers.ts'

/** What no shell takes for anything else than itself, quoted or not. */
const PLAIN = /^[A-Za-z0-9_.:,=/@%+-]+$/

/**
 * Every layout has flags in a file of one line for each variable.
 * @throws {AgentError} MalformedFlags
 */
export function refuseUnwritable(flags: string): void {
  const culprit = unrepresentableIn(flags)
  if (culprit === undefined) return
  throw new AgentError(
    `set flags ${JSON.stringify(flags)}: no environment file can carry the character ${culprit}; take it out`,
    {
      kind: 'load',
      reason: 'MalformedFlags',
    },
  )
}

/**
 * Where a script of the distribution starts the kubelet, a shell reads the flags, and OpenRC does twice: `memory.available<5%` would read a file.
 * @throws {AgentError} MalformedFlags
 */
export function refuseShellWords(flags: string, manager: ServiceManagerName): void {
  if (manager === 'systemd') return
  const word = splitFlagString(flags).find((flag) => !PLAIN.test(flag))
  if (word === undefined) return
  throw new AgentError(
    `set flag "${word}": the kubelet's service of ${MANAGER_TITLES[manager]} is a shell script, which would not pass it on as it is; write it in the kubelet configuration`,
    { kind: 'load', reason: 'MalformedFlags' },
  )
}
