import { Command, InvalidArgumentError } from 'commander'
import type { Instant, Span } from '../calendar/instant.ts'
import { isTimeZone, wallTimeAt } from '../calendar/time-zone.ts'
import { HORIZON, openSpans } from '../calendar/windows.ts'
import type { FleetModel } from '../repo/model.ts'
import { rolloutSettings } from '../repo/rollout-settings.ts'
import { didYouMeanZone } from '../repo/suggest.ts'
import type { CliIo } from './cli-io.ts'
import { asDocument, type DocumentFormat } from './documents.ts'
import { clusterOption, type NamedCluster } from './named-cluster.ts'
import { outputOption } from './output/output-option.ts'
import { tableLines } from './paint.ts'
import { readFleet } from './read-fleet.ts'

interface WindowsOptions extends NamedCluster {
  readonly revision?: string
  readonly count: number
  readonly from?: Instant
  readonly timeZone: string
  readonly output: 'text' | DocumentFormat
}

/** When a pool may begin; empty: not within the next 400 days. */
interface PoolWindows {
  readonly pool: string
  /** It has no windows. */
  readonly always: boolean
  readonly open: readonly { readonly from: string; readonly to: string | null }[]
}

export function windowsCommand(io: CliIo): Command {
  return new Command('windows')
    .description('list the next rollout windows of each pool')
    .argument('[path]', 'folder of the fleet', '.')
    .option('--revision <rev>', 'commit of the repository. Default: the files in the folder, committed or not')
    .addOption(clusterOption())
    .option('-n, --count <number>', 'number of windows for each pool', readCount, 3)
    .option('--from <time>', 'start of the list, such as 2026-12-24T12:00Z. Default: now', readTime)
    .option('--time-zone <zone>', 'time zone of the times in the table', readTimeZone, 'UTC')
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  $ nodewave windows fleet/ --time-zone Europe/Berlin')
    .action(async (path: string, options: WindowsOptions) => {
      const model = await readFleet(io, { path, revision: options.revision, cluster: options.cluster })
      io.stdout(shown(windowsOf(model, { ...options, from: options.from ?? io.now() }), options))
    })
}

function windowsOf(model: FleetModel, { from, count }: { readonly from: Instant; readonly count: number }): PoolWindows[] {
  return [...model.pools.values()].map(({ name, spec }) => {
    const { windows } = rolloutSettings(model.fleet.spec, spec)
    if (windows.length === 0) return { pool: name, always: true, open: [] }
    const spans: Span[] = []
    for (const span of openSpans(windows, from)) if (spans.push(span) === count) break
    // What is open as far as one looks does not close there.
    const open = spans.map(({ from: opens, to }) => ({ from: stamp(opens), to: to < from + HORIZON ? stamp(to) : null }))
    return { pool: name, always: false, open }
  })
}

function shown(pools: readonly PoolWindows[], { output, timeZone }: WindowsOptions): string {
  if (output !== 'text') return asDocument({ pools }, output)
  const rows = pools.flatMap(({ pool, always, open }) => {
    if (always) return [[pool, 'always', '']]
    if (open.length === 0) return [[pool, 'never', '']]
    return open.map(({ from, to }) => [pool, clock(from, timeZone), to === null ? 'does not close' : clock(to, timeZone)])
  })
  return `${tableLines([['POOL', `OPENS (${timeZone})`, 'CLOSES'], ...rows]).join('\n')}\n`
}

/** `Thu 2026-12-24 22:00` */
function clock(time: string, timeZone: string): string {
  const wall = new Date(wallTimeAt(Date.parse(time), timeZone))
  return `${wall.toUTCString().slice(0, 3)} ${wall.toISOString().slice(0, 16).replace('T', ' ')}`
}

function stamp(instant: Instant): string {
  return new Date(instant).toISOString()
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('expected a number from 1 to 999')
  return Number(text)
}

/** Anything else would be read by the clock of this machine, or as a date of another form. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

function readTime(text: string): Instant {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN
  const day = text.slice(0, 'yyyy-mm-dd'.length)
  // February 30 would be March 2.
  if (Number.isNaN(time) || new Date(day).toJSON()?.startsWith(day) !== true)
    throw new InvalidArgumentError('expected a time such as 2026-12-24T12:00Z')
  return time
}

function readTimeZone(text: string): string {
  if (isTimeZone(text)) return text
  const meant = didYouMeanZone(text)
  throw new InvalidArgumentError(`expected a time zone such as Europe/Berlin${meant ? `; ${meant}` : ''}`)
}
