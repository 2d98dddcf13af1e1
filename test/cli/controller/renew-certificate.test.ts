import { expect, test } from 'vitest'
import { renewCertificate } from '../../../src/cli/controller/renew-certificate.ts'
import type { Certificate } from '../../../src/forge/webhook/receiver.ts'
import { TestClock } from '../../controller/test-clock.ts'

const MINUTE = 60_000

test('a certificate is served within a minute after its files changed; a torn one is told once, and the one before stays', async () => {
  const clock = new TestClock()
  const stop = new AbortController()
  const served: string[] = []
  const log: string[] = []
  let files: Certificate = { cert: 'first', key: 'its key' }
  const receiver = {
    useCertificate({ cert, key }: Certificate) {
      if (key !== 'its key') throw new Error('key values mismatch')
      served.push(cert)
    },
  }
  const over = renewCertificate({
    ...{ clock, receiver, signal: stop.signal, certificate: async () => files },
    log: (level, message) => log.push(`${level} ${message}`),
  })
  const minute = async (now: Certificate) => {
    files = now
    await clock.awaited(MINUTE)
    clock.advance(MINUTE)
    await clock.awaited(MINUTE)
  }
  await minute(files)
  await minute({ cert: 'second', key: 'not yet' })
  await minute(files)
  expect(served).toEqual(['first'])
  await minute({ cert: 'second', key: 'its key' })
  stop.abort()
  await over
  expect(served).toEqual(['first', 'second'])
  expect(log).toEqual([
    'warn webhook: the certificate in the files cannot be used: key values mismatch; the one before it stays',
    'info webhook: the certificate was replaced',
  ])
})
