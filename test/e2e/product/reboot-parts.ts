/** How long each part of a reboot that an operator asked for took, of one node. */
import { parseRebootOrder } from '../../../src/protocol/reboot-order.ts'
import { check, type Report } from '../scenario.ts'
import type { Moment, Timeline } from '../timeline.ts'

interface Stage {
  readonly name: string
  readonly begins: (moment: Moment) => boolean
}

/** Each ends when the next one begins. The machine itself is down and up between the fourth and the fifth. */
function stagesOf(before: string): Stage[] {
  return [
    { name: 'asked → cordoned', begins: ({ cordoned }) => cordoned },
    { name: 'cordoned → drained, and ordered to reboot', begins: ({ annotations }) => orderedBoot(annotations) === before },
    {
      name: 'told → the agent calls systemctl reboot',
      begins: ({ annotations }) => statusOf(annotations).error?.reason === 'Rebooting',
    },
    { name: "the machine's own: down → up → the new kubelet reports", begins: ({ boot, ready }) => boot !== before && ready },
    {
      name: 'the kubelet reports → the agent has proved the node',
      begins: ({ annotations }) => statusOf(annotations).phase === 'Applied',
    },
    { name: 'proved → uncordoned', begins: ({ cordoned }) => !cordoned },
  ]
}

/** @param asked when somebody asked, as `performance.now()` tells it; of the node that was first */
export async function timeReboot(
  timeline: Timeline,
  { asked, boots, report }: { readonly asked: number; readonly boots: Readonly<Record<string, string>>; readonly report: Report },
): Promise<void> {
  const moments = await timeline.upToNow()
  const node = moments.find(({ at, cordoned }) => at > asked && cordoned)?.node ?? ''
  const own = moments.filter((moment) => moment.node === node && moment.at > asked)
  let [from, index] = [asked, 0]
  for (const { name, begins } of stagesOf(boots[node] ?? '')) {
    const next = own.findIndex((moment, at) => at >= index && begins(moment))
    const at = own[next]?.at
    check(`"${node}" came to the end of "${name}"`, at !== undefined, own.at(-1))
    report.time(`reboot: ${name}`, at - from)
    from = at
    index = next
  }
}

function orderedBoot(annotations: Moment['annotations']): string | undefined {
  const { REBOOT } = JSON.parse(annotations['desired-config'] ?? '{}') as { readonly REBOOT?: string }
  return parseRebootOrder(REBOOT)?.boot
}

interface Status {
  readonly phase?: string
  readonly error?: { readonly reason: string }
}

function statusOf(annotations: Moment['annotations']): Status {
  return JSON.parse(annotations.status ?? '{}') as Status
}
