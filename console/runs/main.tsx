import { render } from 'preact';
import '../style/console.css';

render(<p>Runs</p>, document.getElementById('app')!);
