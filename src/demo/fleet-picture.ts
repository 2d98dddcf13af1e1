import { byText } from '../protocol/by-text.ts'
import type { DemoNode, FleetView, PoolSight } from './fleet-view.ts'

/** A colour for each configuration, in the order in which a pool first ran them; so a wave shows as a change of colour. */
const PALETTE = [34, 32, 35, 36, 33]
const INDENT = 17

/** What `FleetPicture` shows, for people. */
export const LEGEND = '■ runs its assignment   ◐ changing   ✗ failed and restored   · not assigned yet'

/** The fleet as lines of text: a pool a paragraph, one cell a node. */
export class FleetPicture {
  readonly #view: FleetView
  readonly #colour: boolean
  readonly #colours = new Map<string, number>()

  constructor(view: FleetView, { colour }: { readonly colour: boolean }) {
    this.#view = view
    this.#colour = colour
  }

  /** One line a pool. */
  summaries(): ReadonlyMap<string, string> {
    return new Map(this.#pools().map((pool) => [pool.name, `  ${pool.name.padEnd(INDENT - 2)}${summary(pool)}`]))
  }

  /** No line is longer than the terminal is wide: one that wraps would be two to redraw. */
  lines(columns: number): string[] {
    const perLine = Math.max(1, columns - INDENT)
    return [...this.summaries()].flatMap(([pool, text]) => [
      text.slice(0, columns),
      ...chunks(this.#cells(pool), perLine).map((cells) => ' '.repeat(INDENT) + cells.join('')),
    ])
  }

  #pools(): PoolSight[] {
    return [...this.#view.pools.values()].sort(byText(({ name }) => name))
  }

  #cells(pool: string): string[] {
    const nodes = [...this.#view.nodes.values()].filter((node) => node.pool === pool)
    return nodes.sort(byText(({ zone, name }) => zone + name)).map((node) => this.#cell(node))
  }

  #cell(node: DemoNode): string {
    const phase = node.status?.phase
    if (phase === 'RolledBack' || phase === 'Failed') return this.#paint(31, '✗')
    if (phase === undefined) return this.#paint(90, '·')
    if (phase !== 'Applied' && phase !== 'Reverted') return this.#paint(33, '◐')
    return this.#paint(this.#colourOf(node), '■')
  }

  #colourOf(node: DemoNode): number {
    const key = `${node.pool}/${node.kubeletVersion}/${node.status?.active ?? ''}`
    const known = this.#colours.get(key)
    if (known !== undefined) return known
    const seen = [...this.#colours.keys()].filter((other) => other.startsWith(`${node.pool}/`)).length
    const colour = PALETTE[seen % PALETTE.length] ?? 32
    this.#colours.set(key, colour)
    return colour
  }

  #paint(colour: number, text: string): string {
    return this.#colour ? `\u001b[${colour}m${text}\u001b[0m` : text
  }
}

function summary({ status }: PoolSight): string {
  if (status === undefined) return 'no status yet'
  const { nodes, wave, failed, conditions } = status
  const ready = conditions.find((condition) => condition.type === 'Ready')
  return [
    (status.target?.revision ?? '').slice(0, 7).padEnd(7),
    `${nodes.current}/${nodes.total}`,
    wave === undefined ? '' : `wave ${wave.index}/${wave.count} ${wave.name}`,
    failed.length === 0 ? '' : `${failed.length} failed`,
    ready === undefined ? '' : ready.status === 'True' ? 'Ready' : ready.reason,
  ]
    .filter(Boolean)
    .join('  ')
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
}
