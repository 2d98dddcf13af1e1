import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { assignmentSigner } from '../../src/controller/signing/assignment-signer.ts'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { readSigningKey, type SigningKey } from '../../src/protocol/assignment-signature.ts'
import { aFleet } from './a-fleet.ts'
import { dropping } from './dropping.ts'
import { refusal } from './fake-kube.ts'
import { Replicas } from './replicas.ts'
import { atRevision, B, MINUTE, refusals, SECOND } from './some-faults.ts'
import { NODES } from './stage.ts'

function aKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  return readSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
}

test('a node whose signature the server does not keep is signed again later, and an event says why', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const unsigned = await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  await unsigned.stop()
  const { found, kube } = dropping(replicas, ['nodewave.io/desired-config'])
  await replicas.start('second', { kube, signer: assignmentSigner(aKey()) })
  await replicas.clock.advance(MINUTE)
  expect(found.asked).toBeLessThan(15)
  expect(await refusals(replicas)).toEqual(['AssignmentRefused'])
})

test('a node whose signature the server refuses to write alone gets its next assignment at once', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const unsigned = await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  await unsigned.stop()
  let refused = 0
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { labels, annotations = {} } = Object(Object(body).metadata)
    if (path === `${NODES}/n0` && 'nodewave.io/desired-config' in annotations && labels === undefined) {
      refused++
      throw refusal(403, 'Forbidden')
    }
    return replicas.kube.patch(path, body, options)
  }
  await replicas.start('second', { kube: { ...replicas.kube, patch }, signer: assignmentSigner(aKey()) })
  await replicas.clock.advance(MINUTE)
  expect(refused).toBeGreaterThan(0)
  expect(await refusals(replicas)).toEqual(['AssignmentRefused'])
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(SECOND)
  expect(await atRevision(replicas, B)).toEqual(['n0'])
})
