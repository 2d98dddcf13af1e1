/** The same repository over SSH, with a deploy key that may only read, and only signed commits. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import { output, run } from '../exec.ts'
import { startForgeController } from '../product/forge-controller.ts'
import { stallOf, waitPool } from '../product/pool.ts'
import { check } from '../scenario.ts'
import type { World } from './world.ts'

const SIGNER = 'ada@nodewave.example'

export async function signedOverSsh(world: World): Promise<void> {
  const keys = await signingKey(world)
  try {
    await followed(world, keys)
  } finally {
    await run('gpgconf', ['--kill', 'gpg-agent'], { env: { GNUPGHOME: world.repository.signers } })
  }
}

async function followed(world: World, keys: string): Promise<void> {
  const { cluster, gitea, repository, fleet, settled } = world
  const files = await sshFiles(world)
  await world.controller.kill('SIGTERM')
  world.controller = await startForgeController(cluster, world, {
    url: `${gitea.sshUrl}/${repository.name}.git`,
    args: [...files, `--commit-keys=${keys}`, '--commit-signatures=All'],
  })
  await repository.git(['config', 'user.signingkey', SIGNER])
  await repository.git(['config', 'commit.gpgsign', 'true'])
  await settled(await repository.push(await fleet(90), 'signed'))
  await repository.git(['config', 'commit.gpgsign', 'false'])
  const unsigned = await repository.push(await fleet(91), 'not signed')
  const status = await waitPool(cluster, {
    for: 'the commit to be refused',
    when: (found) => stallOf(found).startsWith('UntrustedCommit') && stallOf(found).includes(unsigned.slice(0, 7)),
  })
  check('no node was assigned it', status.target?.revision !== unsigned, status.target)
}

/** A deploy key that may read, and the key of the server. */
async function sshFiles({ cluster: { slot }, gitea, repository }: World): Promise<string[]> {
  const { private: key, public: shown } = ssh2.utils.generateKeyPairSync('ed25519')
  const body = { title: 'controller', key: shown, read_only: true }
  await gitea.api.ask(`/repos/${repository.name}/keys`, { method: 'POST', body })
  const host = ssh2.utils.parseKey(await gitea.hostKey())
  if (host instanceof Error) throw host
  const known = `[${slot.host}]:${new URL(gitea.sshUrl).port} ${host.type} ${host.getPublicSSH().toString('base64')}\n`
  const [keyFile, knownFile] = [join(slot.dir, 'deploy-key'), join(slot.dir, 'known-hosts')]
  await writeFile(keyFile, key, { mode: 0o600 })
  await writeFile(knownFile, known)
  return [`--ssh-key-file=${keyFile}`, `--ssh-known-hosts-file=${knownFile}`]
}

/** Of a person, in the folder that git looks into; gives a file of the public one. */
async function signingKey({ cluster: { slot }, repository }: World): Promise<string> {
  const env = { GNUPGHOME: repository.signers }
  await mkdir(repository.signers, { mode: 0o700 })
  await run('gpg', ['--batch', '--passphrase', '', '--quick-gen-key', SIGNER, 'ed25519', 'sign', 'never'], { env })
  const path = join(slot.dir, 'commit-keys.asc')
  await writeFile(path, await output('gpg', ['--armor', '--export', SIGNER], { env }))
  return path
}
