/** A static pod that the agent waited for when it was killed: the next agent waits, unless something newer is assigned. */
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'
import { aStaticPod, MANIFESTS } from '../support/static-pods.ts'

const MINUTE = 60_000
const PATH = `${MANIFESTS}/dns.yaml`

const contentOf = (image: string) => ({
  host: JSON.stringify({ staticPods: [{ ...aStaticPod({ image }), readySeconds: 300 }] }),
})

/** The manifest is in place, its pod is not Ready, and the agent is killed and started again. */
async function killedInProof(): Promise<{ readonly machine: Machine; readonly digest: string }> {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign(contentOf('broken'))
  await machine.clock.runUntil(() => machine.host.files.text('/var/lib/nodewave/journal.jsonl')?.includes('committed') ?? false)
  await machine.clock.advance(MINUTE / 2)
  machine.kill()
  machine.start()
  await machine.clock.advance(MINUTE / 2)
  return { machine, digest }
}

test('agent that was killed while a static pod had to get Ready goes on waiting for it', async () => {
  const { machine, digest } = await killedInProof()
  expect(machine.host.files.text(PATH)).toContain('broken')
  machine.node.mirror = () => ({ digest: aStaticPod({ image: 'broken' }).digest, ready: true, restarts: 0, trouble: undefined })

  await machine.untilDigest(digest, 'Applied')

  expect(machine.host.files.text(PATH)).toContain('broken')
})

test('agent that was killed while a static pod had to get Ready makes way for a newer assignment', async () => {
  const { machine } = await killedInProof()
  const began = machine.clock.elapsed()

  await machine.untilDigest(machine.assign(contentOf('dns:1')), 'Applied')

  expect(machine.clock.elapsed() - began).toBeLessThan(MINUTE)
})

test('agent that was killed while a static pod had to get Ready makes way for the removal of the annotation', async () => {
  const { machine } = await killedInProof()
  const began = machine.clock.elapsed()

  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.clock.elapsed() - began).toBeLessThan(MINUTE)
  expect(machine.host.files.text(PATH)).toBeUndefined()
})

test('agent that is stopped while it waits for a static pod again does not wait for its end', async () => {
  const { machine } = await killedInProof()

  machine.stop()
  await machine.clock.advance(MINUTE)

  expect(machine.host.files.text(PATH)).toBeUndefined()
})
