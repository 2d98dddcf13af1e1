import { AgentError } from '../agent-error.ts'
import type { ServiceManager } from '../ports.ts'
import type { Finding, HostHands, ObserveHands, Resource } from '../resources/kind.ts'

export interface Observed {
  readonly findings: readonly Finding[]
  /** What could not be compared, since it is not what could have been applied: a link where a file was. */
  readonly strange: readonly { readonly subject: string; readonly error: AgentError }[]
}

/** One after the other: files may be large. */
export async function observeAll(resources: readonly Resource[], host: HostHands): Promise<Observed> {
  const units = resources.flatMap(({ unit }) => unit ?? [])
  const hands: ObserveHands = { ...host, services: await shownAtOnce(units, host.services) }
  const findings: Finding[] = []
  const strange: { subject: string; error: AgentError }[] = []
  for (const { subject, observe } of resources) {
    try {
      findings.push(await observe(hands))
    } catch (error) {
      if (!(error instanceof AgentError)) throw error
      strange.push({ subject, error })
    }
  }
  return { findings, strange }
}

async function shownAtOnce(units: readonly string[], services: ServiceManager): Promise<Pick<ServiceManager, 'show'>> {
  const known = new Map((await services.showAll(units)).map(({ unit, service }) => [unit, service]))
  return { show: async (unit) => known.get(unit) ?? services.show(unit) }
}
