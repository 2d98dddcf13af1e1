/** What stands on such a machine: two services, and a program that stands for a kubelet. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LayerFile } from '../build/layers.ts'
import type { Init } from './layers.ts'

const TINY = `#!/bin/sh
trap 'exit 0' TERM
echo tiny starts
while :; do sleep 0.2; done
`

export function machineFiles({ manager }: Init): LayerFile[] {
  const kubelet = readFileSync(join(import.meta.dirname, 'stand-in-kubelet.mjs'), 'utf8')
  const programs = [
    { path: '/usr/local/bin/tiny', content: TINY, mode: 0o755 },
    { path: '/usr/bin/kubelet', content: kubelet, mode: 0o755 },
  ]
  return [...programs, ...SERVICES[manager].map((file) => ({ ...file, mode: file.mode ?? 0o755 }))]
}

const SYSV = (name: string, program: string) => `#!/bin/sh
### BEGIN INIT INFO
# Provides:          ${name}
# Required-Start:    $remote_fs
# Required-Stop:     $remote_fs
# Default-Start:     2 3 4 5
# Default-Stop:      0 1 6
# Short-Description: ${name}
### END INIT INFO
NAME=${name}
PIDFILE=/run/$NAME.pid
. /lib/lsb/init-functions
case "$1" in
start) start-stop-daemon --start --quiet --oknodo --background --make-pidfile --pidfile $PIDFILE --startas ${program} ;;
stop) start-stop-daemon --stop --quiet --oknodo --retry 5 --remove-pidfile --pidfile $PIDFILE ;;
restart) $0 stop; $0 start ;;
status) status_of_proc -p $PIDFILE ${program} $NAME ;;
*) exit 2 ;;
esac
`

const SERVICES: Readonly<Record<Init['manager'], readonly LayerFile[]>> = {
  openrc: [
    {
      path: '/etc/init.d/tiny',
      content: `#!/sbin/openrc-run
command=/bin/sh
command_args="-c 'exec /bin/sh /usr/local/bin/tiny >> /var/log/tiny.log 2>&1'"
command_background=true
pidfile="/run/\${RC_SVCNAME}.pid"
`,
    },
    // OpenRC is through with a machine that runs nothing else before anybody has looked.
    {
      path: '/etc/init.d/slow',
      content: '#!/sbin/openrc-run\nstart() { :; }\nstop() { sleep 3; }\n',
    },
    {
      path: '/etc/init.d/dying',
      content: '#!/sbin/openrc-run\nsupervisor=supervise-daemon\ncommand=/bin/false\nrespawn_delay=1\n',
    },
  ],
  runit: [
    { path: '/etc/sv/tiny/run', content: '#!/bin/sh\nexec 2>&1\nexec /usr/local/bin/tiny\n' },
    { path: '/etc/sv/tiny/log/run', content: '#!/bin/sh\nmkdir -p /var/log/tiny\nexec svlogd -tt /var/log/tiny\n' },
    { path: '/etc/sv/dying/run', content: '#!/bin/sh\nexit 3\n' },
    // It starts by its own scripts alone: those of sysvinit take seconds.
    { path: '/etc/runit/native.boot.run', content: '', mode: 0o644 },
    { path: '/etc/runit/no.emulate.sysv', content: '', mode: 0o644 },
    { path: '/etc/runit/boot-run/none', content: '', mode: 0o644 },
  ],
  sysvinit: [
    { path: '/etc/init.d/tiny', content: SYSV('tiny', '/usr/local/bin/tiny') },
    { path: '/etc/init.d/dying', content: SYSV('dying', '/bin/false') },
  ],
}
