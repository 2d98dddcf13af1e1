/** Runs inside a machine, and ends with it: asks it to start again, and says what the machine says of itself until then. */
import { setTimeout as sleep } from 'node:timers/promises'
import { findServiceManager, serviceManager } from '../../../src/agent/adapters/services/find-service-manager.ts'

const services = serviceManager(await findServiceManager())
// The first thing that a machine does on its way down may be to end all processes.
process.on('SIGTERM', () => {})
await services.reboot()
for (let look = 0; look < 300; look++) {
  console.log(await services.machine())
  await sleep(100)
}
