/** A secret of the repository on a real cluster: the node that needs it gets it, and nobody else can read it anywhere. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'
import { type AgeKey, anAgeKey, encryptSops } from '../../secrets/encrypt-sops.ts'
import { versions } from '../build/versions.ts'
import { createApiClient } from '../cluster/api-client.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import { checkout } from '../product/checkout.ts'
import { startController } from '../product/controller.ts'
import { type FleetOptions, fleetFiles } from '../product/fleet.ts'
import { completed, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'secrets', nodes: [{}, {}], group: 'fleet', run: secrets }]

const PATH = '/etc/e2e/password'
const SECRET_FILE = 'secrets/db.enc.yaml'
const [FIRST, SECOND, THIRD, FOURTH] = ['tr0ub4dor-and-3-of-e2e', 'correct-horse-battery-of-e2e', 'third-of-e2e', 'fourth-of-e2e']
/** Everything that may be listed by more people than Secrets may. */
const SHOWN = 'configmaps,nodes,events,nodepools.nodewave.io,roles,rolebindings,leases,pods'

async function secrets(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  const key = await anAgeKey()
  await startWithKey(cluster, product, key)
  await part('push of a secret → file of its node', () => pushSecret(cluster, product, { key, text: FIRST }))
  await part('who reads it', () => readers(cluster))
  await part('push of another → file of its node', () => pushSecret(cluster, product, { key, text: SECOND }))
  await part('who reads that', () => readers(cluster))
  await part('nobody is told', () => untold(cluster, product))
  await part('a Secret of the cluster → file of its node', () => secretOfTheCluster(cluster, product))
  await part('another value of it → file of its node', () => anotherValue(cluster))
  await part('who reads those', () => readers(cluster))
  await part('nobody is told of those', () => untold(cluster, product))
  await part('push without it → no file', async () => {
    await pushed(cluster, product, {}, fleet({ files: [] }))
    check('the file is gone', (await fileOn(cluster, 'n1')) === 'none', await fileOn(cluster, 'n1'))
  })
}

async function startWithKey(cluster: Cluster, product: Product, { identity }: AgeKey): Promise<void> {
  for (const rights of ['secrets-rbac.yaml', 'secret-refs-rbac.yaml'])
    await cluster.kubectl(['apply', '--warnings-as-errors', '-f', join(checkout, 'deploy', rights)])
  const keyFile = join(cluster.slot.dir, 'age-keys.txt')
  await writeFile(keyFile, `${identity}\n`, { mode: 0o600 })
  await product.controller.kill()
  const args = ['--poll=1s', `--age-key-file=${keyFile}`, '--secrets-namespace=nodewave-secrets']
  product.controller = await startController(cluster, { repository: product.repository.url, args })
}

function fleet(host: Readonly<Record<string, unknown>>): FleetOptions {
  const on = (name: string) => ({ version: versions.olderKubelet, selector: { 'kubernetes.io/hostname': name } })
  return { ...on('n1'), host, others: { second: { ...on('n2'), flags: { v: 3 } } } }
}

async function pushSecret(cluster: Cluster, product: Product, { key, text }: { key: AgeKey; text: string }): Promise<void> {
  const encrypted = await encryptSops({ db: { password: text } }, [key.recipient])
  const files = [{ path: PATH, contentFrom: { sopsFile: SECRET_FILE, key: 'db.password' } }]
  await pushed(cluster, product, { [SECRET_FILE]: encrypted }, fleet({ files }))
  check('the file of "n1" is the secret, and of root alone', (await fileOn(cluster, 'n1')) === `600 root ${text}`)
  check('"n2" has no such file', (await fileOn(cluster, 'n2')) === 'none')
}

async function pushed(
  cluster: Cluster,
  { repository }: Product,
  files: Readonly<Record<string, string | undefined>>,
  options: FleetOptions,
): Promise<void> {
  const commit = await repository.push({ ...(await fleetFiles(cluster, options)), ...files }, 'a secret')
  for (const pool of ['workers', 'second']) await waitPool(cluster, { pool, for: `Ready at ${commit}`, when: completed(commit) })
}

async function secretOfTheCluster(cluster: Cluster, { repository }: Product): Promise<void> {
  await cluster.kubectl(['-n', 'nodewave-secrets', 'create', 'secret', 'generic', 'db', `--from-literal=pass.word=${THIRD}`])
  const files = [{ path: PATH, contentFrom: { secretRef: { name: 'db', key: 'pass.word' } } }]
  const commit = await repository.push(
    { ...(await fleetFiles(cluster, fleet({ files }))), [SECRET_FILE]: undefined },
    'a reference',
  )
  await contentArrives(cluster, { text: THIRD, commit })
}

/** No commit is needed. */
async function anotherValue(cluster: Cluster): Promise<void> {
  const before = await revisionOf(cluster)
  const data = { data: { 'pass.word': Buffer.from(FOURTH).toString('base64') } }
  await cluster.kubectl(['-n', 'nodewave-secrets', 'patch', 'secret', 'db', '--type=merge', `--patch=${JSON.stringify(data)}`])
  const [commit = ''] = before.split('+')
  await contentArrives(cluster, { text: FOURTH, commit, before })
}

async function contentArrives(
  cluster: Cluster,
  { text, commit, before }: { readonly text: string; readonly commit: string; readonly before?: string },
): Promise<void> {
  await waitUntil(async () => (await fileOn(cluster, 'n1')) === `600 root ${text}`, { for: 'the value in the file of "n1"' })
  await waitPool(cluster, { pool: 'workers', for: `Ready at ${commit}+…`, when: hasCompleted(`${commit}+`) })
  const revision = await revisionOf(cluster)
  check('the revision is the commit with these contents', revision.startsWith(`${commit}+`) && revision !== before, revision)
  check('"n2" has no such file', (await fileOn(cluster, 'n2')) === 'none')
}

function hasCompleted(revision: string): (status: NodePoolStatus) => boolean {
  return ({ stable, nodes }) => stable?.revision.startsWith(revision) === true && nodes.current === nodes.total
}

async function revisionOf(cluster: Cluster): Promise<string> {
  const { annotations = {} } = (await cluster.node('n1').get()).metadata
  return JSON.parse(annotations['nodewave.io/desired-config'] ?? '{}').REVISION ?? ''
}

function fileOn(cluster: Cluster, name: string): Promise<string> {
  const script = `if [ -e ${PATH} ]; then echo "$(stat -c '%a %U' ${PATH}) $(cat ${PATH})"; else echo none; fi`
  return cluster.node(name).output(['sh', '-c', script])
}

/** Asked with the credentials that the kubelets have. */
async function readers(cluster: Cluster): Promise<void> {
  const { annotations = {} } = (await cluster.node('n1').get()).metadata
  const { SECRET_CONFIG } = JSON.parse(annotations['nodewave.io/desired-config'] ?? '{}')
  check('the assignment of "n1" names a Secret', typeof SECRET_CONFIG === 'string', annotations)
  const asked = async (user: string, path: string) =>
    (await createApiClient(cluster.server, cluster.certificates, user).send(`/api/v1/namespaces/nodewave-system/${path}`)).status
  for (const [user, path, wanted] of [
    ['n1', `secrets/${SECRET_CONFIG}`, 200],
    ['n1', 'secrets', 403],
    ['n2', `secrets/${SECRET_CONFIG}`, 403],
    ['n2', 'secrets', 403],
  ] as const)
    await waitUntil(async () => (await asked(user, path)) === wanted, { for: `"${user}" to be answered ${wanted} for ${path}` })
}

async function untold(cluster: Cluster, { controller }: Product): Promise<void> {
  const places = {
    objects: await cluster.kubectl(['get', SHOWN, '--all-namespaces', '--output=json', '--show-managed-fields']),
    controller: controller.log(),
    agent: await cluster.node('n1').journal('nodewave-agent', 2000),
    'other node': await cluster.node('n2').output(['sh', '-c', 'grep -r -l of-e2e /etc /var/lib/nodewave /run || true']),
  }
  for (const [place, text] of Object.entries(places))
    for (const secret of [FIRST, SECOND, THIRD, FOURTH])
      for (const form of [secret, Buffer.from(secret).toString('base64').slice(0, -4)])
        check(`${place}: no word of the secret`, !text.includes(form) && (place !== 'other node' || text === ''), place)
  check('the log of the controller is not empty', places.controller.length > 0)
  check('the journal of the agent is not empty', places.agent.length > 0)
}
