import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { BoundedVersions } from './bounded-versions.ts'
import type { CountedRequest } from './counted-kube.ts'
import { durationHistograms } from './duration-histograms.ts'
import { DurationRecorder } from './durations.ts'
import { FLEET_GAUGES, type FleetGauge } from './fleet-samples.ts'
import { type FleetSource, NOTIFICATION_RESULTS, type Telemetry } from './telemetry.ts'

export interface PrometheusTelemetry extends Telemetry {
  readonly requested: (request: CountedRequest) => void
  /** Everything as text, and what kind of text. */
  readonly exposed: () => Promise<{ readonly type: string; readonly text: string }>
  readonly isSynced: () => boolean
}

/** Seconds. */
const REQUEST_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 30]
const PASS_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 1, 5]
const WAIT_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

export interface PrometheusTelemetryOptions {
  readonly version: string
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export function prometheusTelemetry({ version, elapsed, now }: PrometheusTelemetryOptions): PrometheusTelemetry {
  const register = new Registry()
  const registers = [register]
  let fleet: FleetSource | undefined
  let leading = false
  let durations: DurationRecorder | undefined
  collectDefaultMetrics({ register })
  new Gauge({ name: 'nodewave_build_info', help: '1, with the version.', labelNames: ['version'], registers }).set({ version }, 1)
  const leads = new Gauge({ name: 'nodewave_leading', help: '1 while this controller leads.', registers })
  const passes = new Histogram({ name: 'nodewave_pass_seconds', help: 'CPU time of passes.', buckets: PASS_BUCKETS, registers })
  const passWaits = new Histogram({
    name: 'nodewave_pass_wait_seconds',
    help: 'Time from a change until the pass that takes it begins; of the oldest change of each pass.',
    buckets: WAIT_BUCKETS,
    registers,
  })
  const writeWaits = new Histogram({
    name: 'nodewave_write_wait_seconds',
    help: 'Time that writes to nodes and evictions are queued until they are sent.',
    buckets: WAIT_BUCKETS,
    registers,
  })
  const failures = new Counter({ name: 'nodewave_pass_failures_total', help: 'Passes that failed.', registers })
  const git = new Gauge({ name: 'nodewave_git_readable', help: '1 while the repository can be read.', registers })
  const gitFailures = new Counter({
    name: 'nodewave_git_failures_total',
    help: 'Reads of the repository that failed.',
    registers,
  })
  git.remove()
  const requests = new Histogram({
    name: 'nodewave_api_request_seconds',
    help: 'Answered requests to the API server; code 0: no answer. Watches are not among them.',
    labelNames: ['verb', 'resource', 'code'],
    buckets: REQUEST_BUCKETS,
    registers,
  })
  const notifications = new Counter({
    name: 'nodewave_notifications_total',
    help: 'Attempts to send a notification, by what became of them.',
    labelNames: ['channel', 'result'],
    registers,
  })
  // Whoever does not lead may see an older fleet: of two answers, only that of the leader counts.
  const seen = (): FleetSource | undefined => (leading ? fleet : undefined)
  const observe = durationHistograms(registers)
  for (const gauge of FLEET_GAUGES) registerGauge(gauge, { registers, seen, elapsed })
  return {
    synced: (source) => {
      fleet = source
    },
    leads: (conclusions) => {
      leading = conclusions !== undefined
      durations = leading ? new DurationRecorder(now()) : undefined
      leads.set(leading ? 1 : 0)
      // The next leader says it: what this one saw last would stand beside that for as long as it stands by.
      if (!leading) git.remove()
    },
    passed: ({ took, waited }) => {
      passes.observe(took / 1000)
      if (waited !== undefined) passWaits.observe(waited / 1000)
    },
    passFailed: () => failures.inc(),
    writeSent: (waited) => writeWaits.observe(waited / 1000),
    gitReadable: (readable) => {
      git.set(readable ? 1 : 0)
      if (!readable) gitFailures.inc()
    },
    notifies: (channel) => {
      // From zero: a series that begins with its first failure shows no increase by that.
      for (const result of NOTIFICATION_RESULTS) notifications.inc({ channel, result }, 0)
      return (result) => notifications.inc({ channel, result })
    },
    requested: ({ verb, resource, code, seconds }) => requests.observe({ verb, resource, code: String(code) }, seconds),
    exposed: async () => {
      if (fleet && durations) observe(durations.observe(fleet, now()), fleet.pools.items.keys())
      return { type: register.contentType, text: await register.metrics() }
    },
    isSynced: () => fleet !== undefined,
  }
}

interface Scrape extends Pick<PrometheusTelemetryOptions, 'elapsed'> {
  readonly registers: Registry[]
  readonly seen: () => FleetSource | undefined
}

function registerGauge({ name, help, labels, samples }: FleetGauge, { registers, seen, elapsed }: Scrape): void {
  const versions = labels.includes('version') ? new BoundedVersions() : undefined
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers,
    collect() {
      this.reset()
      const fleet = seen()
      if (!fleet) return
      const found = samples(fleet)
      for (const { labels, value } of versions?.bound(found, elapsed()) ?? found) this.set(labels, value)
    },
  })
}
