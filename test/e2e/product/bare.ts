/** What a machine without a kubelet gets from Git: archives, files and units that other nodes have from their base. */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { debianBase } from '../build/base.ts'
import { testImages } from '../build/images.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { runtimeFiles } from '../cluster/container-runtime.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { run } from '../exec.ts'

const port = 8082

export interface BareProfile extends Record<string, unknown> {
  readonly files: readonly object[]
}

/** The `spec` of a HostProfile that makes a bare machine fit for a kubelet. */
export async function bareProfile(
  cluster: Cluster,
  { pods, tags = [] }: { readonly pods: string /** Commands after the import of images. */; readonly tags?: readonly string[] },
): Promise<BareProfile> {
  const dir = join(cluster.slot.dir, 'downloads')
  await mkdir(dir, { recursive: true })
  const programs = ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc']
  const plugins = ['bridge', 'loopback', 'host-local', 'portmap']
  const images = await testImages(await debianBase(() => undefined))
  const runtime = await pack(cluster, { dir, archive: 'runtime.tar.gz', members: programs })
  const cni = await pack(cluster, { dir, archive: 'cni.tar.gz', members: plugins })
  const downloads = await Promise.all(images.map((image) => publish(cluster, { dir, file: image })))
  await startServer(cluster, dir)
  return {
    archives: [
      { name: 'container-runtime', ...runtime, directory: '/usr/local/bin' },
      { name: 'cni-plugins', ...cni, directory: '/opt/cni/bin' },
    ],
    files: [
      ...runtimeFiles(pods)
        .filter(({ path }) => !path.endsWith('.service'))
        .map(({ path, content }) => ({ path, content })),
      ...downloads.map((download, index) => ({ path: `/opt/images/${index}.tar`, download })),
    ],
    units: [containerd(pods), importer(downloads.length, tags)],
  }
}

function containerd(pods: string) {
  const file = runtimeFiles(pods).find(({ path }) => path.endsWith('/containerd.service'))
  const restartOn = ['/etc/containerd/config.toml', '/usr/local/bin/containerd']
  return { name: 'containerd.service', content: file?.content, enabled: true, state: 'running', restartOn }
}

/** A registry would have them otherwise. */
export function importer(count: number, more: readonly string[] = []) {
  const commands = Array.from(
    { length: count },
    (_, index) => `ExecStart=/usr/local/bin/ctr -n k8s.io images import /opt/images/${index}.tar`,
  )
  const content = `[Unit]
Description=Images of the tests
After=containerd.service
[Service]
Type=oneshot
RemainAfterExit=yes
${[...commands, ...more.map((command) => `ExecStart=${command}`)].join('\n')}
[Install]
WantedBy=multi-user.target
`
  return { name: 'images.service', content, enabled: true, state: 'running' }
}

/** @param options.below directory of the archive that the programs are in, with a slash behind it */
export async function pack(
  cluster: Cluster,
  {
    dir,
    archive,
    members,
    below = '',
  }: { readonly dir: string; readonly archive: string; readonly members: readonly string[]; readonly below?: string },
) {
  const places = members.flatMap((name) => ['-C', join(cluster.binary(name), '..'), basename(cluster.binary(name))])
  await run('tar', [
    '--use-compress-program=gzip -1',
    '--owner=1001',
    `--transform=s,^,${below},`,
    '-cf',
    join(dir, archive),
    ...places,
  ])
  return describe(cluster, join(dir, archive))
}

export async function publish(cluster: Cluster, { dir, file }: { readonly dir: string; readonly file: string }) {
  await copyFile(file, join(dir, basename(file)))
  return describe(cluster, join(dir, basename(file)))
}

async function describe({ slot }: Cluster, file: string) {
  const sha256 = createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
  return { url: `http://${slot.host}:${port}/${basename(file)}`, sha256 }
}

export async function startServer(cluster: Cluster, dir: string): Promise<void> {
  const program = fileURLToPath(new URL('../artifacts/serve.ts', import.meta.url))
  const command = [process.execPath, program, dir, cluster.slot.host, String(port)]
  cluster.daemon({ name: 'downloads', command, env: { HOME: cluster.slot.dir } })
  const answers = async () =>
    fetch(`http://${cluster.slot.host}:${port}/`).then(
      () => true,
      () => false,
    )
  await waitUntil(answers, { for: `the server on port ${port}` })
}

/** As kubeadm allows machines to join: a token, the right to ask for a certificate, and approval of what such a one asks for. */
export async function allowBootstrap(cluster: Cluster): Promise<string> {
  const [id, secret] = ['abcdef', '0123456789abcdef']
  const bind = (name: string, role: string, group: string) => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ${name}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "${role}"}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: "${group}"}]
---`
  const approver = 'system:certificates.k8s.io:certificatesigningrequests'
  await cluster.apply(`${bind('join', 'system:node-bootstrapper', 'system:bootstrappers:nodewave')}
${bind('join-approval', `${approver}:nodeclient`, 'system:bootstrappers:nodewave')}
${bind('join-renewal', `${approver}:selfnodeclient`, 'system:nodes')}
apiVersion: v1
kind: Secret
type: bootstrap.kubernetes.io/token
metadata: {name: bootstrap-token-${id}, namespace: kube-system}
stringData:
  token-id: ${id}
  token-secret: ${secret}
  usage-bootstrap-authentication: "true"
  auth-extra-groups: system:bootstrappers:nodewave
`)
  return `${id}.${secret}`
}

/** What whoever installs the agent leaves on the machine. */
export async function leaveToken(cluster: Cluster, node: Node, token: string): Promise<void> {
  const ca = (await readFile(cluster.certificates.caFile)).toString('base64')
  const content = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "${cluster.server}", certificate-authority-data: ${ca}}}]
users: [{name: u, user: {token: ${token}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`
  await node.write({ path: '/etc/nodewave/bootstrap.conf', content, mode: 0o600 })
}
