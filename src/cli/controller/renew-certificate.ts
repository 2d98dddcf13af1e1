import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../controller/clock/clock.ts'
import type { Log } from '../../controller/log/log.ts'
import type { Certificate, Receiver } from '../../forge/webhook/receiver.ts'

export interface RenewalOptions {
  /** What the files have now. */
  readonly certificate: () => Promise<Certificate>
  readonly receiver: Pick<Receiver, 'useCertificate'>
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** Milliseconds. Certificates are replaced days before they end. */
const LOOK_EVERY = 60_000

/** Serves what replaces the certificate in its files. What is no certificate is logged once, and the one before stays. */
export async function renewCertificate({ certificate, receiver, clock, log, signal }: RenewalOptions): Promise<void> {
  let served: Certificate | undefined
  let trouble: string | undefined
  while (!signal.aborted) {
    try {
      const found = await certificate()
      if (!isDeepStrictEqual(found, served)) receiver.useCertificate(found)
      if (served !== undefined && found.cert !== served.cert) log('info', 'webhook: the certificate was replaced')
      served = found
      trouble = undefined
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (why !== trouble) log('warn', `webhook: the certificate in the files cannot be used: ${why}; the one before it stays`)
      trouble = why
    }
    await clock.sleepUntil(clock.now() + LOOK_EVERY, signal)
  }
}
