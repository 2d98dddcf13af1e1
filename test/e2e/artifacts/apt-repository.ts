/** A signed flat apt repository for each minor version, laid out as at pkgs.k8s.io. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../exec.ts'
import { buildContainerdDebs, containerdRepository } from './containerd-deb.ts'
import { buildKubeletDeb } from './kubelet-deb.ts'
import { buildToolsDebs, toolsRepositories } from './tools-deb.ts'

export interface RepositoryVersion {
  readonly version: string
  readonly binary: string
}

/** Where a version's repository is, below the server's root: `core:/stable:/v1.36/deb`. */
export function repositoryPath(version: string): string {
  const [major, minor] = version.split('.')
  return `core:/stable:/v${major}.${minor}/deb`
}

export interface Packages {
  readonly kubelets: readonly RepositoryVersion[]
  /** Path of its program. */
  readonly containerd: string
}

/** Build and sign one repository a version below `root`, and those of containerd and the small packages; the key is made for them and thrown away. */
export async function buildAptRepositories(root: string, { kubelets, containerd }: Packages): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'nodewave-e2e-gpg-'))
  try {
    const gpg = (args: readonly string[]) => run('gpg', ['--homedir', home, '--batch', '--yes', '--quiet', ...args])
    await gpg(['--passphrase', '', '--quick-generate-key', 'nodewave e2e <e2e@nodewave.example>', 'ed25519', 'sign', 'never'])
    for (const { version, binary } of kubelets) {
      const dir = join(root, repositoryPath(version))
      await mkdir(join(dir, 'amd64'), { recursive: true })
      await buildKubeletDeb({ version, binary, target: join(dir, 'amd64') })
    }
    await buildContainerdDebs({ binary: containerd, target: join(root, containerdRepository, 'amd64') })
    await buildToolsDebs(root)
    const others = [containerdRepository, ...Object.values(toolsRepositories)]
    for (const path of [...kubelets.map(({ version }) => repositoryPath(version)), ...others]) {
      const dir = join(root, path)
      await writeIndex(dir)
      await gpg(['--clearsign', '-o', join(dir, 'InRelease'), join(dir, 'Release')])
      await gpg(['--armor', '--export', '-o', join(dir, 'Release.key')])
    }
  } finally {
    await run('gpgconf', ['--homedir', home, '--kill', 'all'], { allowFailure: true })
    await rm(home, { recursive: true, force: true })
  }
}

async function writeIndex(dir: string): Promise<void> {
  const packages = await run('dpkg-scanpackages', ['-m', '.'], { cwd: dir })
  await writeFile(join(dir, 'Packages'), packages.stdout)
  const release = await run('apt-ftparchive', ['release', '.'], { cwd: dir })
  await writeFile(join(dir, 'Release'), release.stdout)
}
