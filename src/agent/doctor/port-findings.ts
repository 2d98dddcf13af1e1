import { flagValue } from '../kubelet/kubelet-flags.ts'
import { KUBELET_UNIT } from '../paths.ts'
import type { Facts, KubeletPort, Listener } from './facts.ts'
import { type Finding, failed, ok, warned } from './finding.ts'

type Document = { readonly [key: string]: unknown }

/** As the kubelet reads them: a flag wins, and an empty value is the default. A healthzPort of 0 is none. */
export function kubeletPorts(document: Document, args: readonly string[]): KubeletPort[] {
  const api = {
    field: 'port',
    address: String(flagValue(args, 'address') || document.address || '0.0.0.0'),
    port: Number(flagValue(args, 'port') || document.port || 10250),
  } as const
  const healthz = {
    field: 'healthzPort',
    address: String(flagValue(args, 'healthz-bind-address') || document.healthzBindAddress || '127.0.0.1'),
    port: Number(flagValue(args, 'healthz-port') ?? document.healthzPort ?? 10248),
  } as const
  return [api, healthz].filter(({ port }) => Number.isInteger(port) && port > 0)
}

export type PortFacts = Pick<Facts, 'kubeletPorts' | 'listeners' | 'units'>

/** A kubelet does not start, or serves no health, while another process has its port. */
export function portFindings({ kubeletPorts: ports, listeners: found, units }: PortFacts): Finding[] {
  const unit = units.find(({ name }) => name === KUBELET_UNIT)?.state
  const mainPid = unit !== undefined && 'value' in unit ? unit.value.mainPid : undefined
  return ports.map((wanted) => {
    const check = `port ${wanted.port}`
    if ('error' in found) return warned(check, `cannot be judged: ${found.error}`, ss(wanted))
    const inTheWay = found.value.filter((listener) => isInTheWay(listener, wanted))
    if (inTheWay.some((listener) => isKubelets(listener, mainPid))) return ok(check, 'the kubelet listens')
    const [first] = inTheWay
    return first === undefined ? ok(check, 'free for the kubelet') : taken(first, wanted)
  })
}

function taken({ address, port, process }: Listener, { field, ...wanted }: KubeletPort): Finding {
  const check = `port ${port}`
  const place = `${address.includes(':') ? `[${address}]` : address}:${port}`
  if (process === undefined) return warned(check, `who listens on ${place} cannot be seen`, `run it with sudo; ${ss(wanted)}`)
  return failed(
    check,
    `"${process.name}" (pid ${process.pid}) listens on ${place}, where the kubelet of ${KUBELET_UNIT} is to listen`,
    `stop that process, or set another ${field} in the configuration of the kubelet`,
  )
}

function ss({ port }: Pick<KubeletPort, 'port'>): string {
  return `ss -ltnp "sport = :${port}"`
}

const ALL = ['0.0.0.0', '::']

function isInTheWay(listener: Listener, { address, port }: KubeletPort): boolean {
  const { address: theirs } = listener
  return listener.port === port && (theirs === address || ALL.includes(theirs) || ALL.includes(address))
}

/**
 * A unit may start the kubelet by a script. A kubelet that runs while its unit does not was started by somebody else.
 * @param mainPid of the unit; undefined when that cannot be found out
 */
function isKubelets({ process }: Listener, mainPid: number | undefined): boolean {
  return process !== undefined && mainPid !== 0 && (process.pid === mainPid || process.name === 'kubelet')
}
