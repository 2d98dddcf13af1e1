import type { NodeContent } from '../../../src/protocol/digest.ts'
import { Machine } from './machine.ts'

export const MINUTE = 60_000
export const RULES = '/etc/nftables.conf'
export const FLAGS = '/etc/default/kubelet'

/** Rules of a firewall, which is restarted for them. */
export const rules = (content: string): NodeContent => ({
  host: JSON.stringify({
    files: [{ path: RULES, content }],
    units: [{ name: 'nftables.service', enabled: true, state: 'running', restartOn: [RULES] }],
  }),
})

/** A host whose rules let everything pass, and have held their trial. */
export async function settled(): Promise<{ readonly machine: Machine; readonly good: string }> {
  const machine = new Machine({ units: ['containerd.service', 'nftables.service'] })
  machine.start()
  const good = machine.assign(rules('accept\n'))
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  return { machine, good }
}

/** The network is there but where the rules drop everything. @param heals milliseconds from the end of such rules until it is there again */
export function obeyRules({ host, clock }: Machine, heals = 0): void {
  let droppedAt = Number.NEGATIVE_INFINITY
  const isCut = (): boolean => {
    if (host.files.text(RULES)?.includes('drop')) droppedAt = clock.elapsed()
    return clock.elapsed() - droppedAt <= heals
  }
  Object.defineProperty(host.faults, 'network', { get: () => (isCut() ? 'lost' : undefined) })
}

/** The network is away from the moment in which the flag is in the file of the kubelet. */
export async function loseNetworkAt(machine: Machine, flag: string): Promise<void> {
  await machine.clock.runUntil(() => machine.host.files.text(FLAGS)?.includes(flag) ?? false)
  machine.host.faults.network = 'lost'
}

/** Everything that the agent has shown on the Node. */
export const reported = ({ node }: Machine): string => JSON.stringify(node.patches)
