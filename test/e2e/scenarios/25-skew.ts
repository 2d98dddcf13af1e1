/** No kubelet gets ahead of the API server: refused where a commit is looked at, and withheld from the nodes. */
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { run, unfolded } from '../exec.ts'
import { checkout } from '../product/checkout.ts'
import { assignedNodes } from '../product/course.ts'
import { fleetFiles } from '../product/fleet.ts'
import { checkNotRestarted, kubeletsOf } from '../product/kubelets.ts'
import { stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'

export const scenarios: readonly Scenario[] = [{ name: 'skew', nodes: [{}, {}], group: 'fleet', run: skew }]

/** Of a minor that the API server does not have. Nothing is downloaded of it. */
const TOO_NEW = '1.37.1'

async function skew(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  await part('fleet settled', () => product.settle({ version: versions.olderKubelet }))
  const before = await kubeletsOf(cluster)
  using timeline = await startTimeline(cluster.api)
  const refusal = `pool "workers": kubelet ${TOO_NEW} is newer than the API server at v${versions.kubernetes}; allowed: 1.33 to 1.36`
  const commit = await product.repository.push(await newerFleet(cluster), `kubelet ${TOO_NEW}`)
  const planned = await part('refused at plan', () => plan(cluster, product))
  check('plan ends with 2', planned.code === 2, planned)
  check('plan says why, and where', /refused .* workers\.yaml:\d+:\d+/.test(planned.stdout), planned.stdout)
  check('plan names pool, versions and what is allowed', planned.stdout.includes(refusal), planned.stdout)
  const isWithheld = (status: Parameters<typeof stallOf>[0]) =>
    status.observedRevision === commit && stallOf(status) === `VersionSkew: ${refusal}`
  await part('push → withheld', () => waitPool(cluster, { for: 'VersionSkew', when: isWithheld }))
  const reverted = await product.repository.revert(commit)
  await part('git revert → Ready', () => product.settled(reverted))
  const assigned = assignedNodes(await timeline.upToNow(), commit)
  check('no node was assigned it', assigned.length === 0, assigned)
  await checkNotRestarted(cluster, before)
}

/** The fleet with a version for which it only has a made-up checksum. */
async function newerFleet(cluster: Cluster): Promise<Record<string, string>> {
  const files = await fleetFiles(cluster, { version: TOO_NEW })
  const release = parse(files['release.yaml'] ?? '')
  release.spec.binary.sha256[TOO_NEW] = { amd64: '0'.repeat(64) }
  return { ...files, 'release.yaml': stringify(release) }
}

async function plan({ kubeconfig }: Cluster, { repository }: Product) {
  const args = [join(checkout, 'src/cli/main.ts'), 'plan', repository.clone, '--from=HEAD~1', '--to=HEAD']
  return unfolded(await run(process.execPath, [...args, `--kubeconfig=${kubeconfig}`], { allowFailure: true }))
}
