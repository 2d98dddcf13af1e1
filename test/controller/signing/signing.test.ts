import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { assignmentSigner } from '../../../src/controller/signing/assignment-signer.ts'
import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { checkSignature, readSigningKey, readTrustedKey } from '../../../src/protocol/assignment-signature.ts'
import { parseDesiredConfig } from '../../../src/protocol/desired-config.ts'
import { aFleet } from '../../controller/a-fleet.ts'
import { aStage, NODES, POOLS } from '../stage.ts'
import { TestClock } from '../test-clock.ts'

function aKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const by = readSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  return {
    by,
    signer: assignmentSigner(by),
    trusted: readTrustedKey(publicKey.export({ type: 'spki', format: 'pem' }).toString()),
  }
}

const [FIRST, SECOND] = [aKey(), aKey()]

function desiredOf({ metadata }: KubeObject): string {
  return metadata.annotations?.['nodewave.io/desired-config'] ?? '{}'
}

function isSignedBy(key: typeof FIRST, node: KubeObject): boolean {
  return 'counter' in checkSignature(desiredOf(node), { node: node.metadata.uid ?? '', keys: [key.trusted] })
}

function all(nodes: ReadonlyMap<string, KubeObject>, count: number, is: (node: KubeObject) => boolean): boolean {
  return nodes.size === count && [...nodes.values()].every(is)
}

const ready = (pools: ReadonlyMap<string, KubeObject>) => {
  const { conditions = [] } = (pools.get('workers')?.status ?? {}) as { conditions?: { type: string; status: string }[] }
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
}

test('the controller signs each assignment for its own Node', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  stage.startController({ signer: FIRST.signer })
  stage.startAgents()
  stage.push('a', aFleet())
  const nodes = await stage.until(NODES, (found) => all(found, 3, (node) => isSignedBy(FIRST, node)))
  const [one, other] = [...nodes.values()]
  if (!one || !other) throw new Error('no nodes')
  expect(checkSignature(desiredOf(one), { node: other.metadata.uid ?? '', keys: [FIRST.trusted] })).toMatchObject({
    problem: 'SignatureInvalid',
  })
})

test('nodes that were assigned unsigned, or by another key, get the same assignment signed, with a greater counter', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  const end = stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.until(POOLS, ready)
  const unsigned = await stage.until(NODES, () => true)
  await end()
  const endFirst = stage.startController({ signer: FIRST.signer })
  const first = await stage.until(NODES, (found) => all(found, 3, (node) => isSignedBy(FIRST, node)))
  await endFirst()
  stage.startController({ signer: SECOND.signer })
  const second = await stage.until(NODES, (found) => all(found, 3, (node) => isSignedBy(SECOND, node)))
  for (const name of unsigned.keys()) {
    const texts = [unsigned, first, second].map((nodes) => parseDesiredConfig(desiredOf(nodes.get(name) as KubeObject)))
    const [before, ...after] = texts.map(({ COUNTER: _, SIGNATURE: __, ...rest }) => rest)
    expect(after).toEqual([before, before])
    expect(texts[2]?.COUNTER).toBeGreaterThan(texts[1]?.COUNTER ?? Number.NaN)
  }
})

test('the counter grows though the clock of the controller went back', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  const now = stage.clock.now()
  const ahead = new TestClock(now + 3_600_000)
  const end = stage.startController({ signer: FIRST.signer, clock: ahead })
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.until(POOLS, ready)
  await end()
  stage.startController({ signer: SECOND.signer })
  const nodes = await stage.until(NODES, (found) => all(found, 1, (node) => isSignedBy(SECOND, node)))
  expect([...nodes.values()].map((node) => parseDesiredConfig(desiredOf(node)).COUNTER)).toEqual([now + 3_600_001])
})
