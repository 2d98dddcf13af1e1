import { KUBELET_BINARY } from '../paths.ts'
import { definitionFile, type ServiceManagerName } from '../service-managers.ts'

/** Of the managed layout, where no unit file can have the arguments. */
export const KUBELET_LAUNCHER = '/etc/kubernetes/kubelet-start'

export interface ServiceFile {
  readonly path: string
  readonly text: string
  readonly mode: number
}

const SERVICE = 'kubelet'
const LOG = `/var/log/${SERVICE}.log`
const PID_FILE = `/run/${SERVICE}.pid`
const WRITTEN = '# Written by nodewave: a change here is overwritten.'

const OPENRC = `#!/sbin/openrc-run
${WRITTEN}
description="kubelet: The Kubernetes Node Agent"
supervisor=supervise-daemon
command=${KUBELET_LAUNCHER}
respawn_delay=10
respawn_max=0
output_log=${LOG}
error_log=${LOG}

depend() {
	want net
	after firewall containerd crio docker
}
`

const RUNIT = `#!/bin/sh
${WRITTEN}
exec 2>&1
exec ${KUBELET_LAUNCHER}
`

const RUNIT_LOG = `#!/bin/sh
${WRITTEN}
mkdir -p /var/log/${SERVICE}
exec svlogd -tt /var/log/${SERVICE}
`

/** Nobody restarts what dies under sysvinit: the script does. */
const SYSVINIT = `#!/bin/sh
${WRITTEN}
### BEGIN INIT INFO
# Provides:          ${SERVICE}
# Required-Start:    $remote_fs $network
# Required-Stop:     $remote_fs $network
# Should-Start:      containerd crio docker
# Default-Start:     2 3 4 5
# Default-Stop:      0 1 6
# Short-Description: kubelet: The Kubernetes Node Agent
### END INIT INFO
PIDFILE=${PID_FILE}
LOGFILE=${LOG}
KEEPER=/run/${SERVICE}-keeper.pid

# A keeper that was killed leaves its kubelet behind, and there must not be two.
is_left() {
	old=$(cat "$PIDFILE" 2>/dev/null) || return 1
	case $(readlink "/proc/$old/exe" 2>/dev/null) in ${KUBELET_BINARY}*) return 0 ;; *) return 1 ;; esac
}

end_left() {
	is_left && kill "$old"
	while is_left; do sleep 1; done
	rm -f "$PIDFILE"
}

keep() {
	end_left
	trap 'kill "$child"; wait "$child"; rm -f "$PIDFILE"; exit 0' TERM
	while :; do
		${KUBELET_LAUNCHER} >>"$LOGFILE" 2>&1 </dev/null &
		child=$!
		echo "$child" >"$PIDFILE"
		wait "$child"
		sleep 10 &
		child=$!
		wait "$child"
	done
}

start() {
	start-stop-daemon --start --quiet --oknodo --background --make-pidfile --pidfile "$KEEPER" --startas /etc/init.d/${SERVICE} -- keep
}

stop() {
	start-stop-daemon --stop --quiet --oknodo --retry TERM/60/KILL/5 --remove-pidfile --pidfile "$KEEPER"
	end_left
}

case "$1" in
start) start ;;
stop) stop ;;
restart | force-reload) stop && start ;;
status) start-stop-daemon --status --pidfile "$PIDFILE" ;;
keep) keep ;;
*) echo "usage: $0 start|stop|restart|status" >&2; exit 2 ;;
esac
`

const ROTATION = `${WRITTEN}
${LOG} {
	size 20M
	rotate 3
	copytruncate
	compress
	missingok
}
`

/** The files by which a service manager starts the kubelet of the managed layout, but for the launcher. */
export function kubeletServiceFiles(manager: Exclude<ServiceManagerName, 'systemd'>): ServiceFile[] {
  const path = definitionFile(manager, SERVICE)
  const script = { path, mode: 0o755 }
  const rotation = { path: `/etc/logrotate.d/${SERVICE}`, text: ROTATION, mode: 0o644 }
  if (manager === 'openrc') return [{ ...script, text: OPENRC }, rotation]
  if (manager === 'sysvinit') return [{ ...script, text: SYSVINIT }, rotation]
  return [
    { ...script, text: RUNIT },
    { path: path.replace(/run$/, 'log/run'), text: RUNIT_LOG, mode: 0o755 },
  ]
}

/** Each argument as the kubelet gets it: a variable would be split, and OpenRC would run what a shell makes of it. */
export function launcherText(args: readonly string[]): string {
  return `#!/bin/sh\n${WRITTEN}\nexec ${[KUBELET_BINARY, ...args].map(quoted).join(' \\\n  ')}\n`
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
