#!/opt/nodewave/node
// Behaves as the agent expects of a kubelet on a machine that has neither a cluster nor a container runtime.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'

const args = process.argv.slice(2)
const config = args.findLast((arg) => arg.startsWith('--config='))?.slice('--config='.length)
if (args.includes('--version')) {
  console.log('Kubernetes v1.35.4')
} else if (args.some((arg) => arg.endsWith('/none.sock'))) {
  console.error('E1122 12:00:00.000000       1 run.go:72] "command failed" err="validate CRI v1 runtime API for endpoint"')
  process.exitCode = 1
} else if (readFileSync(config, 'utf8').includes('maxPods: 13')) {
  console.error('E1122 12:00:00.000000       1 run.go:72] "command failed" err="thirteen pods bring bad luck"')
  process.exitCode = 1
} else {
  writeFileSync('/run/kubelet-arguments.json', JSON.stringify(args))
  createServer((_, response) => response.end('ok')).listen(10248, '127.0.0.1')
  process.on('SIGTERM', () => process.exit(0))
}
