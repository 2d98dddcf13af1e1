/**
 * A real API server for one command: `node test/e2e/apiserver.ts [--kubeconfig OUT] -- command args…`.
 *
 * Starts etcd and kube-apiserver on loopback, runs the command with KUBECONFIG set, takes both down, ends with the command's code.
 */
import { copyFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { buildBinaries } from './build/binaries.ts'
import { startControlPlane } from './cluster/control-plane.ts'
import { missingPrerequisites } from './cluster/prerequisites.ts'
import { claimSlot } from './cluster/slot.ts'
import { teardown, teardownLeftovers } from './cluster/teardown.ts'
import { runAsProgram, runCommand } from './run-command.ts'

const usage = 'usage: node test/e2e/apiserver.ts [--kubeconfig OUT] -- command args…'

async function main(): Promise<number> {
  const separator = process.argv.indexOf('--')
  const own = process.argv.slice(2, separator < 0 ? undefined : separator)
  const [command, ...args] = separator < 0 ? [] : process.argv.slice(separator + 1)
  const { values } = parseArgs({ args: own, options: { kubeconfig: { type: 'string' } } })
  if (command === undefined) throw new Error(usage)
  const missing = missingPrerequisites('apiserver')
  if (missing.length > 0) throw new Error(missing.join('\n'))
  const find = await buildBinaries(['etcd', 'kube-apiserver'], (line) => console.error(line))
  await teardownLeftovers({ kept: false })
  const slot = await claimSlot()
  try {
    const plane = await startControlPlane(slot, { binary: find, address: '127.0.0.1', port: slot.ports.apiserver, alone: true })
    await plane.waitReady()
    const kubeconfig = values.kubeconfig ?? plane.kubeconfig
    if (values.kubeconfig !== undefined) await copyFile(plane.kubeconfig, values.kubeconfig)
    return await runCommand(command, args, { KUBECONFIG: kubeconfig, NODEWAVE_CONTRACT: 'real' })
  } finally {
    await teardown(slot)
  }
}

await runAsProgram(main)
