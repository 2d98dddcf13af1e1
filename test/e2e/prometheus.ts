/**
 * A real Prometheus for one command: `node test/e2e/prometheus.ts -- command args…`.
 *
 * Starts one on loopback that scrapes itself, runs the command with NODEWAVE_PROMETHEUS set to its URL, ends with the command's code.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildBinaries } from './build/binaries.ts'
import { waitUntil } from './cluster/wait.ts'
import { runAsProgram, runCommand } from './run-command.ts'

async function main(): Promise<number> {
  const separator = process.argv.indexOf('--')
  const [command, ...args] = separator < 0 ? [] : process.argv.slice(separator + 1)
  if (command === undefined) throw new Error('usage: node test/e2e/prometheus.ts -- command args…')
  const find = await buildBinaries(['prometheus'], (line) => console.error(line))
  const dir = await mkdtemp(join(tmpdir(), 'nodewave-prometheus-'))
  const address = `127.0.0.1:${await freePort()}`
  const running = await start(find('prometheus'), { dir, address })
  try {
    await waitUntil(() => scrapes(address), { for: 'Prometheus to have scraped itself', everyMs: 250 })
    return await runCommand(command, args, { NODEWAVE_PROMETHEUS: `http://${address}` })
  } finally {
    running.kill()
    await once(running, 'close')
    await rm(dir, { recursive: true, force: true })
  }
}

async function start(binary: string, { dir, address }: { readonly dir: string; readonly address: string }) {
  const config = join(dir, 'prometheus.yml')
  const scrape = { job_name: 'self', static_configs: [{ targets: [address] }] }
  await writeFile(config, JSON.stringify({ global: { scrape_interval: '1s' }, scrape_configs: [scrape] }))
  const options = [`--config.file=${config}`, `--storage.tsdb.path=${join(dir, 'data')}`, `--web.listen-address=${address}`]
  return spawn(binary, options, { stdio: 'ignore' })
}

async function scrapes(address: string): Promise<boolean> {
  const response = await fetch(`http://${address}/api/v1/query?query=up`)
  return (await response.text()).includes('"1"]')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('find a free port: the server has no address')
  return address.port
}

await runAsProgram(main)
