import { byText } from '../../../protocol/by-text.ts'
/** How many requests came, by verb and resource: what the load of a controller or a fleet of agents is measured with. */
export class RequestCounters {
  readonly #counts = new Map<string, number>()

  add(verb: string, resource: string): void {
    const key = `${verb} ${resource}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** Sum over what is not named. @param match resource as `nodes` or `leases.coordination.k8s.io` */
  count(match: { readonly verb?: string; readonly resource?: string } = {}): number {
    let sum = 0
    for (const [key, count] of this.#counts) {
      const [verb, resource] = key.split(' ')
      if ((match.verb ?? verb) === verb && (match.resource ?? resource) === resource) sum += count
    }
    return sum
  }

  /** By `verb resource`, sorted. */
  all(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(byText(([key]) => key)))
  }

  reset(): void {
    this.#counts.clear()
  }
}
