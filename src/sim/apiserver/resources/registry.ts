import { configMaps, secrets } from './config-maps.ts'
import { disruptionBudgets } from './disruption-budgets.ts'
import { events, newEvents } from './events.ts'
import { nodes } from './nodes.ts'
import { plain } from './plain.ts'
import { pods } from './pods.ts'
import type { ResourceType } from './resource-type.ts'
import { groupVersion } from './resource-type.ts'
import { batch, workloads } from './workloads.ts'

/** Every resource that is served now: the built-in ones, and what custom resource definitions added. */
export class Registry {
  readonly #types = new Map<string, ResourceType>()

  constructor() {
    for (const type of [nodes, pods, configMaps, secrets, events, newEvents, disruptionBudgets, ...workloads, ...batch, ...plain])
      this.add(type)
  }

  /** @param plural as it stands in the URL */
  find(group: string, version: string, plural: string): ResourceType | undefined {
    return this.#types.get(path({ group, version, plural }))
  }

  ofKind(apiVersion: string, kind: string): ResourceType | undefined {
    return this.all().find((type) => type.kind === kind && groupVersion(type) === apiVersion)
  }

  add(type: ResourceType): void {
    this.#types.set(path(type), type)
  }

  /** Takes away every version of a resource. */
  drop(group: string, plural: string): void {
    for (const type of this.all()) if (type.group === group && type.plural === plural) this.#types.delete(path(type))
  }

  all(): readonly ResourceType[] {
    return [...this.#types.values()]
  }
}

function path(type: { readonly group: string; readonly version: string; readonly plural: string }): string {
  return `${groupVersion(type)}/${type.plural}`
}
