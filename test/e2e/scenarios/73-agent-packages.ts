/** The agent's packages as a release has them: signed, installed, upgraded and removed by the real dnf and apt. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { writeChecksums } from '../../../scripts/image/checksums.ts'
import { type BuildOptions, buildAgentDebs, buildAgentRpms } from '../../../scripts/image/images.ts'
import { VERSION } from '../../../src/protocol/version.ts'
import { buildBinaries } from '../build/binaries.ts'
import { putFile } from '../build/layers.ts'
import { debianRoot, rpmRoot } from '../build/rpm-root.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { output, run } from '../exec.ts'
import { imageOptions } from '../product/images.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'agent-packages', nodes: [], builds: ['nfpm'], run: packagesOfTheAgent }]

const NEXT = '0.1.99'

async function packagesOfTheAgent(cluster: Cluster, { part, say }: Report): Promise<void> {
  const { dir } = cluster.slot
  const nfpm = (await buildBinaries(['nfpm'], say))('nfpm')
  const key = await newKey(join(dir, 'gnupg'))
  const [first, next] = await part('builds', () => bothVersions(cluster))
  const out = first.out
  await part('.rpm and .deb of two versions', async () => {
    for (const options of [first, next]) {
      await buildAgentRpms({ ...options, nfpm, signKey: key.secret })
      await buildAgentDebs(options)
    }
    await buildAgentRpms({ ...next, out: join(dir, 'unsigned'), nfpm })
    await writeChecksums(out, key.secret)
  })
  await part('checksums and their signature', () => checksumsHold(out, key.home))
  await part('dnf', () => byDnf(cluster, { out, nfpm, publicKey: key.public }))
  await part('apt', () => byApt(cluster, out))
}

async function bothVersions(cluster: Cluster): Promise<readonly [BuildOptions, BuildOptions]> {
  const first = await imageOptions(cluster)
  const dist = join(cluster.slot.dir, `dist-${NEXT}`)
  await mkdir(dist)
  const bundle = await readFile(join(first.dist, 'nodewave-agent.mjs'), 'utf8')
  await writeFile(join(dist, 'nodewave-agent.mjs'), bundle.replaceAll(`"${VERSION}"`, `"${NEXT}"`))
  return [first, { ...first, dist, version: NEXT }]
}

interface Key {
  readonly home: string
  readonly secret: string
  readonly public: string
}

async function newKey(home: string): Promise<Key> {
  await mkdir(home, { mode: 0o700 })
  const gpg = ['--homedir', home, '--batch', '--quiet', '--passphrase', '']
  await run('gpg', [...gpg, '--quick-generate-key', 'release <release@nodewave.example>', 'rsa3072', 'sign', 'never'])
  const secret = join(home, 'secret.asc')
  await writeFile(secret, await output('gpg', [...gpg, '--armor', '--export-secret-keys']), { mode: 0o600 })
  const armored = await output('gpg', [...gpg, '--armor', '--export'])
  await run('gpgconf', ['--homedir', home, '--kill', 'all'])
  return { home, secret, public: `${armored}\n` }
}

async function checksumsHold(out: string, home: string): Promise<void> {
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out })
  const verify = ['--homedir', home, '--batch', '--verify', 'SHA256SUMS.asc', 'SHA256SUMS']
  await run('gpg', verify, { cwd: out })
  await writeFile(join(out, 'SHA256SUMS'), `${await readFile(join(out, 'SHA256SUMS'), 'utf8')} `)
  const { code } = await run('gpg', verify, { cwd: out, allowFailure: true })
  check('checksums that somebody changed are not vouched for', code === 1, code)
}

const repository = (name: string) =>
  `[${name}]\nname=${name}\nbaseurl=file:///srv/${name}\ngpgcheck=1\ngpgkey=file:///srv/key.asc\nenabled=0\n`

async function byDnf(
  { slot }: Cluster,
  { out, nfpm, publicKey }: { readonly out: string; readonly nfpm: string; readonly publicKey: string },
): Promise<void> {
  await using base = await rpmRoot(join(slot.dir, 'rpm'), () => undefined)
  const { root } = base
  const inside = (...command: readonly string[]) => run('chroot', [root, ...command], { allowFailure: true })
  const dnf = (name: string, ...args: readonly string[]) =>
    inside('dnf', '--assumeyes', '--quiet', '--releasever=1', '--disableplugin=local', `--enablerepo=${name}`, ...args)
  await putFile(root, { path: '/srv/key.asc', content: publicKey })
  await libraryOfDistribution(join(slot.dir, 'glibc.rpm'), nfpm)
  await putFile(root, { path: '/srv/glibc.rpm', content: { file: join(slot.dir, 'glibc.rpm') } })
  await inside('rpm', '--install', '/srv/glibc.rpm')
  for (const [name, folder] of [
    ['agent', out],
    ['unsigned', join(slot.dir, 'unsigned')],
  ] as const) {
    for (const rpm of await output('find', [folder, '-maxdepth', '1', '-name', '*.rpm']).then((text) => text.split('\n')))
      await putFile(root, { path: `/srv/${name}/${basename(rpm)}`, content: { file: rpm } })
    await putFile(root, { path: `/etc/yum.repos.d/${name}.repo`, content: repository(name) })
    await inside('createrepo_c', '--quiet', `/srv/${name}`)
  }
  const refused = await dnf('unsigned', 'install', 'nodewave-agent')
  check('a package without a signature is refused', refused.code !== 0 && refused.stderr.includes('not signed'), refused)
  const steps = { install: ['install', `nodewave-agent-${VERSION}`], upgrade: ['upgrade', 'nodewave-agent'] }
  const done = async (args: readonly string[]) => {
    const { code, stderr } = await dnf('agent', ...args)
    check(`dnf ${args.join(' ')} succeeds`, code === 0, stderr)
  }
  await installedUpgradedRemoved(root, {
    install: () => done(steps.install),
    upgrade: () => done(steps.upgrade),
    remove: () => done(['remove', 'nodewave-agent']),
  })
}

/** What distributions of rpm have, and this root has from Debian. */
async function libraryOfDistribution(path: string, nfpm: string): Promise<void> {
  const config = `${path}.yaml`
  const text = { name: 'glibc', arch: 'amd64', version: '2.36', maintainer: 'e2e', description: 'e2e' }
  await writeFile(config, JSON.stringify(text))
  await run(nfpm, ['package', '--config', config, '--packager', 'rpm', '--target', path])
}

async function byApt({ slot }: Cluster, out: string): Promise<void> {
  await using base = await debianRoot(join(slot.dir, 'deb'), () => undefined)
  const { root } = base
  const apt = async (...args: readonly string[]) => {
    await run('chroot', [root, 'apt-get', '--quiet', '--yes', ...args], { env: { DEBIAN_FRONTEND: 'noninteractive' } })
  }
  const installs = (version: string) => async () => {
    const name = `nodewave-agent_${version}_amd64.deb`
    await putFile(root, { path: `/srv/${name}`, content: { file: join(out, name) } })
    await apt('install', `/srv/${name}`)
  }
  await installedUpgradedRemoved(root, {
    install: installs(VERSION),
    upgrade: installs(NEXT),
    remove: () => apt('remove', 'nodewave-agent'),
  })
}

async function installedUpgradedRemoved(
  root: string,
  steps: Readonly<Record<'install' | 'upgrade' | 'remove', () => Promise<void>>>,
): Promise<void> {
  const traces = () => output('find', ['opt', 'etc/systemd/system', 'usr/lib', '-path', '*nodewave*'], { cwd: root })
  const version = () => output('chroot', [root, '/opt/nodewave/current/nodewave-agent', '--version'])
  check('nothing of an agent is there', (await traces()) === '')
  await steps.install()
  check('the agent answers', (await version()) === VERSION)
  await steps.upgrade()
  check('the newer agent answers', (await version()) === NEXT)
  await steps.remove()
  const left = await traces()
  check('nothing of an agent is left', left === '', left)
}
