/** The parameters of a ship's unit. */
export interface ShipUnit {
  readonly user: string;
  /** Absolute path. */
  readonly dataDir: string;
  /** The program with its first arguments, with absolute paths. */
  readonly program: readonly string[];
  /** Further arguments of `quire ship run`. */
  readonly flags: readonly string[];
}

/**
 * A systemd unit (systemd.service(5), systemd.exec(5)) that runs a ship as a user of its own. Two kinds of options are
 * omitted on purpose: those that hide a part of /proc (ProtectKernelTunables, ProtectProc), because an unprivileged
 * process could then not create namespaces with their own /proc, and those that forbid namespaces. The sandboxes of
 * steps need both. The statuses 77 and 86 require an administrator: the ship was revoked, or is too old.
 */
export function shipUnit({ user, dataDir, program, flags }: ShipUnit): string {
  return `# Written by \`quire ship install\`; written again by the next one. Put changes into quire-ship.service.d/*.conf.
[Unit]
Description=Quire ship: executes runs of a run-queue service
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=${[...program, 'ship', 'run', '--data-dir', dataDir, ...flags].map(quoted).join(' ')}
User=${user}
Group=${user}
WorkingDirectory=${specifiersKept(dataDir)}
Environment=NODE_ENV=production
# The first SIGTERM drains: runs may end. The second, after this time, is SIGKILL; the service hands them out again.
KillMode=mixed
TimeoutStopSec=30min
Restart=always
RestartSec=5
RestartPreventExitStatus=0 77 86
LimitNOFILE=65536

ProtectSystem=strict
ReadWritePaths=${specifiersKept(dataDir)}
ProtectHome=yes
PrivateTmp=yes
ProtectClock=yes
ProtectHostname=yes
NoNewPrivileges=yes
CapabilityBoundingSet=
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
UMask=0077

[Install]
WantedBy=multi-user.target
`;
}

/** The input of systemd-sysusers: an account without login (sysusers.d(5)). */
export function shipAccount({ user, dataDir }: Pick<ShipUnit, 'user' | 'dataDir'>): string {
  return `# Written by \`quire ship install\`.\nu ${user} - "Quire ship" ${dataDir} /usr/sbin/nologin\n`;
}

/** Quotes a word of ExecStart: quotes, backslashes, variables and specifiers lose their special meaning. */
function quoted(word: string): string {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w./:=@%$,+-]+$/.test(plain) ? plain : `"${plain.replace(/["\\]/g, '\\$&')}"`;
}

const specifiersKept = (path: string): string => path.replaceAll('%', '%%');
