import { type Command, Option } from 'commander'
import type { CountedRequest } from '../../controller/metrics/counted-kube.ts'
import type { Telemetry } from '../../controller/metrics/telemetry.ts'
import { systemTimers } from '../../kube/timers.ts'
import { VERSION } from '../../protocol/version.ts'
import { type Address, parseAddress } from './address.ts'

export interface MetricsOptions {
  readonly metricsAddress?: Address
}

export function addMetricsOptions(command: Command): Command {
  return command.addOption(
    new Option('--metrics-address <[host]:port>', 'serve /metrics, /livez and /readyz at this address. Default: off').argParser(
      parseAddress,
    ),
  )
}

export interface Metrics extends AsyncDisposable {
  readonly telemetry: Telemetry
  readonly requested: (request: CountedRequest) => void
  readonly port: number
}

/** The library is loaded only where somebody asks for metrics. @returns undefined without an address */
export async function serveMetrics({ metricsAddress }: MetricsOptions): Promise<Metrics | undefined> {
  if (metricsAddress === undefined) return undefined
  const { prometheusTelemetry } = await import('../../controller/metrics/prometheus-telemetry.ts')
  const { startMetricsServer } = await import('../../controller/metrics/metrics-server.ts')
  const telemetry = prometheusTelemetry({ version: VERSION, elapsed: systemTimers.elapsed, now: Date.now })
  const server = await startMetricsServer({ ...metricsAddress, telemetry })
  return { telemetry, requested: telemetry.requested, port: server.port, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}
