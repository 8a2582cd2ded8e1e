import { render } from 'preact';
import '../style/console.css';
import { App } from './app.tsx';

render(<App />, document.getElementById('app')!);
