import type { Disruptions, Moment, SimulatedPool, Simulation, Step } from '../../simulate/simulation.ts'
import { formatDuration } from '../format-time.ts'
import { counted, folded, type Paint, tableLines } from '../paint.ts'
import { barText } from '../progress-bar.ts'

interface Look {
  readonly paint: Paint
  readonly columns: number
}

/** A simulation for people: when what happens, what it costs, and what was assumed. */
export function simulationText(simulation: Simulation, look: Look): string {
  const { from, to, startsAt, pools, assumptions } = simulation
  const taken = assumptions.map((line) => folded(`  ${line}`, look))
  const paragraphs = [
    look.paint.bold(`${from} → ${to}, from ${stamp(startsAt)}`),
    ...pools.map((pool) => poolText(pool, startsAt, look)),
    [verdict(simulation, look.paint), peakText(simulation), disruptionsText(simulation.disruptions)].join('\n'),
    ['Assumptions:', ...taken].join('\n'),
  ]
  return `${paragraphs.join('\n\n')}\n`
}

/** What comes minutes after a wait of days must not seem to come with it. */
export const ALL_UNITS = 4

/** `2h 5m`. Default: the two greatest units. */
export function formatSpan(milliseconds: number, units = 2): string {
  return formatDuration(milliseconds, { units, separator: ' ' })
}

function verdict({ startsAt, endsAt, outcome }: Omit<Simulation, 'from' | 'to' | 'assumptions'>, paint: Paint): string {
  const took = formatSpan(endsAt - startsAt)
  if (outcome === 'Completed') return paint.green(`completes after ${took}, at ${stamp(endsAt)}`)
  if (outcome === 'Unfinished') return paint.red(`is not complete after ${took}`)
  return paint.red(`does not complete: it stops after ${took}`)
}

function peakText({ peak, peakByZone }: Pick<Simulation, 'peak' | 'peakByZone'>): string {
  const zones = Object.entries(peakByZone).map(([zone, { nodes }]) => `${zone} ${nodes}`)
  return `at most ${counted(peak.nodes, 'node')} unavailable at once${zones.length > 0 ? `, by zone: ${zones.join(', ')}` : ''}`
}

/** For the one who waits. @param options.elapsed milliseconds that the simulation has taken */
export function momentText(
  { at, nodes: { current, total } }: Moment,
  { startsAt, elapsed }: { readonly startsAt: number; readonly elapsed: number },
): string {
  return `simulating: +${formatSpan(at - startsAt, ALL_UNITS)}, nodes ${barText({ done: current, total, elapsed })}`
}

function disruptionsText({ podsEvicted, ...granted }: Disruptions): string {
  const told = Object.entries(granted).filter(([, count]) => count > 0)
  const changes = told.reduce((sum, [, count]) => sum + count, 0)
  const grants = told.map(([grant, count]) => `${count} ${grant}`).join(', ')
  const nodes = changes === 0 ? 'no node changes' : `nodes changed: ${changes}, by disruption: ${grants}`
  return podsEvicted > 0 ? `${nodes}; ${counted(podsEvicted, 'pod')} evicted` : nodes
}

function stamp(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`
}

function poolText({ pool, nodes, steps, end, isDone }: SimulatedPool, startsAt: number, { paint, columns }: Look): string {
  const rows = tableLines(
    steps.map((step) => [
      `  +${formatSpan(step.at - startsAt, ALL_UNITS)}`,
      stepText(step),
      step.nodes > 0 ? counted(step.nodes, 'node') : '',
    ]),
  )
  const why = isDone ? [] : [paint.red(folded(`  ${end.message}`, { columns }))]
  return [`${paint.bold(pool)}  ${counted(nodes, 'node')}`, ...rows, ...why].join('\n')
}

function stepText({ reason, wave }: Step): string {
  return wave === undefined ? reason : `wave ${wave.index} of ${wave.count}, "${wave.name}": ${reason}`
}
