import type { Connection } from './connection.ts'
import { KubeError } from './kube-api.ts'
import { systemTimers, type Timers } from './timers.ts'
import { createTransport } from './transport.ts'

/**
 * What the API server's clock says, to the second.
 * @throws {KubeError} when it does not answer, or does not say it
 */
export async function readServerTime(connection: Connection, timers: Timers = systemTimers): Promise<number> {
  const response = await createTransport(connection, { timers, maxSockets: 1 }).stream({
    verb: 'get',
    method: 'GET',
    path: '/version',
  })
  response.destroy()
  const time = Date.parse(response.headers.date ?? '')
  if (Number.isNaN(time))
    throw new KubeError('read the time of the API server: its answer has no Date', { code: 200, reason: 'NoDate' })
  return time
}
