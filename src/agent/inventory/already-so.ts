import type { ObserveHands, SectionPlace } from '../resources/kind.ts'
import { Kinds } from '../resources/kinds.ts'

interface Field {
  /** Of a HostProfile: `swap`. */
  readonly section: string
  readonly value: unknown
}

/** Whether the agent, if it had to apply the field, would find nothing to change on this host. */
export async function isAlreadySo(
  { section, value }: Field,
  { host, place, kinds = new Kinds() }: { readonly host: ObserveHands; readonly place: SectionPlace; readonly kinds?: Kinds },
): Promise<boolean> {
  const resources = (await kinds.sections.get(section)?.resources(value as never, place.files, place)) ?? []
  for (const resource of resources) if ((await resource.observe(host)).change !== undefined) return false
  return resources.length > 0
}
