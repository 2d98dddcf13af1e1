/** What makes a machine a node of one cluster, on a disk of its own: names, credentials, the agent of this checkout. */
import { mkdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleAgent } from '../../../scripts/bundle-agent.ts'
import { type LayerFile, putFile } from '../build/layers.ts'
import { writePair } from '../cluster/certificates.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { kubeconfig } from '../cluster/kubeconfig.ts'
import { run } from '../exec.ts'
import { agentProgram, agentUnit } from '../product/agent.ts'
import { checkout } from '../product/checkout.ts'
import { GUEST_ADDRESS } from './disk.ts'
import { SEED } from './emulator.ts'
import type { BootedMachine } from './machine.ts'
import { WORK, withTools } from './tools.ts'

const MEGABYTES = 64
/** Without a runtime: what stands for the kubelet has none. */
const CONFIG = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nfailCgroupV1: false\n'
const client = 'var/lib/kubelet/pki/kubelet-client-current.pem'

/** @param work where the disk is put, and its tree before that */
export async function writeSeed(cluster: Cluster, name: string, work: string): Promise<void> {
  const { certificates } = cluster
  const tree = join(work, 'seed')
  await certificates.issue({ name, user: `system:node:${name}`, groups: ['system:nodes'] })
  for (const file of await seedFiles(cluster, name)) await putFile(tree, file)
  await mkdir(join(tree, 'var/lib/kubelet/pki'), { recursive: true })
  await writePair(certificates, name, join(tree, 'var/lib/kubelet/pki/first.pem'))
  await symlink('/var/lib/kubelet/pki/first.pem', join(tree, client))
  await mkdir(join(tree, 'etc/kubernetes/manifests'), { recursive: true })
  await writeFile(join(work, SEED), '')
  await truncate(join(work, SEED), MEGABYTES * 2 ** 20)
  const [mke2fs, ...args] = await withTools({ work }, ['mke2fs', '-q', '-t', 'ext4', '-d', `${WORK}/seed`, `${WORK}/${SEED}`])
  await run(mke2fs, args)
}

async function seedFiles({ server, certificates, slot }: Cluster, name: string): Promise<readonly LayerFile[]> {
  const config = await kubeconfig({ server, certificates, client: { path: `/${client}` }, user: `system:node:${name}` })
  return [
    { path: '/etc/hostname', content: `${name}\n` },
    { path: '/etc/hosts', content: `127.0.0.1 localhost\n${GUEST_ADDRESS} ${name}\n` },
    { path: '/etc/kubernetes/pki/ca.crt', content: { file: certificates.caFile } },
    { path: '/etc/kubernetes/kubelet.conf', content: config, mode: 0o600 },
    { path: '/var/lib/kubelet/config.yaml', content: CONFIG, mode: 0o644 },
    { path: '/var/lib/kubelet/kubeadm-flags.env', content: 'KUBELET_KUBEADM_ARGS=""\n' },
    { path: agentProgram, content: { file: await bundleAgent(slot.dir) } },
    {
      path: `/etc/systemd/system/${agentUnit}.service`,
      content: await readFile(join(checkout, `deploy/${agentUnit}.service`), 'utf8'),
    },
  ]
}

/** Once: from then on it is on the machine's own disk. */
export async function plantSeed(machine: BootedMachine, name: string): Promise<void> {
  const script = `set -e
mount /dev/vdb /mnt
rm -rf /mnt/lost+found
cp -a /mnt/. /
umount /mnt
hostname ${name}
systemctl daemon-reload
systemctl enable kubelet ${agentUnit}
systemctl start kubelet ${agentUnit}`
  await machine.exec(['/bin/sh', '-c', script])
}
