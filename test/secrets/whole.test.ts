import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import type { SimulatedHost } from '../../src/sim/host/simulated-host.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { aWorld } from '../resilience/world.ts'
import { type AgeKey, anAgeKey, encryptSops } from './encrypt-sops.ts'

const FIRST = 'tr0ub4dor-and-3'
const SECOND = 'correct-horse-battery'
const PATH = '/etc/db/password'
const SECRETS = '/api/v1/namespaces/nodewave-system/secrets'
/** Everything that anybody writes, but for Secrets. */
const COLLECTIONS = [
  '/api/v1/nodes',
  '/api/v1/configmaps',
  '/api/v1/events',
  '/apis/nodewave.io/v1alpha1/nodepools',
  '/apis/coordination.k8s.io/v1/leases',
  '/apis/rbac.authorization.k8s.io/v1/roles',
]

const profile = `
---
apiVersion: nodewave.io/v1alpha1
kind: HostProfile
metadata: {name: db}
spec:
  files:
    - path: ${PATH}
      contentFrom: {sopsFile: secrets/db.yaml, key: db.password}
`

async function aRepository(text: string, key: AgeKey): Promise<Record<string, string>> {
  const files = aFleet({ more: '  hostProfiles: [db]\n' })
  const encrypted = await encryptSops({ db: { password: text } }, [key.recipient])
  return { 'fleet.yaml': `${files['fleet.yaml']}${profile}`, 'secrets/db.yaml': encrypted }
}

/** Every version of every object, as watches tell of them. */
function recordObjects(kube: KubeApi, signal: AbortSignal): string[] {
  const seen: string[] = []
  const record = async (path: string): Promise<void> => {
    for await (const event of kube.follow(path, { project: (object: KubeObject) => object, signal }))
      seen.push(JSON.stringify(event))
  }
  for (const path of COLLECTIONS) void record(path).catch(() => undefined)
  return seen
}

/** As it is, and as anything would encode it. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  // Of base64 in the middle of something longer, what does not depend on where it begins.
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  )
  return [text, ...shifted, bytes.toString('hex')]
}

test('a secret reaches the hosts of its nodes, and no other object, event, log or status', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-keys-'))
  const key = await anAgeKey()
  await writeFile(join(folder, 'keys'), `${key.identity}\n`)
  const logged: string[] = []
  const hosts = new Map<string, SimulatedHost>()
  await using world = await aWorld({
    nodes: 2,
    onHost: (name, host) => hosts.set(name, host),
    setup: { ageKeyFile: join(folder, 'keys'), log: (...line) => logged.push(JSON.stringify(line)) },
  })
  const stop = new AbortController()
  const seen = recordObjects(world.kube, stop.signal)

  await world.untilDone(await world.push(await aRepository(FIRST, key)))
  expect([...hosts.values()].map((host) => textAt(host, PATH))).toEqual([FIRST, FIRST])
  await world.untilDone(await world.push(await aRepository(SECOND, key)))
  expect([...hosts.values()].map((host) => textAt(host, PATH))).toEqual([SECOND, SECOND])

  const stored = await world.kube.get<{ items: KubeObject[] }>(SECRETS)
  expect(stored.items.map(({ metadata, immutable }) => [metadata.labels?.['nodewave.io/kind'], immutable])).toContainEqual([
    'secret',
    true,
  ])

  // For another key: refused by name, and the fleet stays.
  const other = await anAgeKey()
  const refused = await world.untilRefused(await world.push(await aRepository('of-another-key', other)))
  expect(refused).toContain('failed to decrypt "secrets/db.yaml": no key of --age-key-file opens it')
  expect(textAt(hosts.get('n0'), PATH)).toBe(SECOND)

  stop.abort()
  const everything = [...seen, ...logged, refused].join('\n')
  expect(everything.length).toBeGreaterThan(10_000)
  for (const form of [FIRST, SECOND, key.identity].flatMap(formsOf)) expect(everything.includes(form), form).toBe(false)

  for (const host of hosts.values()) {
    const holding = Object.entries(host.files.snapshot()).filter(([, file]) =>
      formsOf(SECOND).some((form) => file.includes(form)),
    )
    expect(holding.length).toBeGreaterThan(1)
    expect(holding.filter(([, file]) => !file.startsWith('600 0:0 '))).toEqual([])
  }
  await rm(folder, { recursive: true })
})

function textAt(host: SimulatedHost | undefined, path: string): string | undefined {
  return host?.files.snapshot()[path]?.replace(/^\d+ \d+:\d+ /, '')
}
